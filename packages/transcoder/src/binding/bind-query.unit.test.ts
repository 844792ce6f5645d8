import { type DescMethodUnary, type JsonValue, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { libraryRoutes } from "../../test/library.ts";
import { ruleFor } from "../../test/routes.ts";
import type { Route } from "../rules/route.ts";
import { bindRequest } from "./bind-request.ts";
import type { BindingOptions } from "./reading.ts";

const [search] = libraryRoutes({ Search: ruleFor("GET /search") }) as [Route];

function query(text: string, options?: BindingOptions): JsonValue {
  const message = bindRequest(search, { values: [], query: text, body: undefined }, options);
  return toJson((search.method as DescMethodUnary).input, message);
}

const INT32 = "a whole number from -2147483648 to 2147483647";
const INT64 = "a whole number from -9223372036854775808 to 9223372036854775807";
const deepName = (depth: number) => `criteria${".inner".repeat(depth - 2)}.author`;

describe("a query is refused", () => {
  test.each([
    // Scalars
    ["count=1.5", `count must be ${INT32}`],
    ["count=", `count must be ${INT32}`],
    ["count", `count must be ${INT32}`],
    ["count=+5", `count must be ${INT32}`],
    ["count=5%20", `count must be ${INT32}`],
    ["count=1e-2", `count must be ${INT32}`],
    ["count=1e", `count must be ${INT32}`],
    ["count=1.", `count must be ${INT32}`],
    ["count=0x10", `count must be ${INT32}`],
    ["count=--1", `count must be ${INT32}`],
    ["count=٣", `count must be ${INT32}`],
    ["count=2147483648", `count must be ${INT32}`],
    ["count=-2147483649", `count must be ${INT32}`],
    ["offset=-1", "offset must be a whole number from 0 to 4294967295"],
    ["offset=4294967296", "offset must be a whole number from 0 to 4294967295"],
    ["since_id=9223372036854775808", `sinceId must be ${INT64}`],
    ["sinceId=-9223372036854775809", `sinceId must be ${INT64}`],
    ["sinceId=99999999999999999999999999", `sinceId must be ${INT64}`],
    ["untilId=18446744073709551616", "untilId must be a whole number from 0 to 18446744073709551615"],
    ["untilId=100000000000000000000", "untilId must be a whole number from 0 to 18446744073709551615"],
    ["untilId=-1", "untilId must be a whole number from 0 to 18446744073709551615"],
    ["exact=1", "exact must be true or false"],
    ["exact=True", "exact must be true or false"],
    ["exact", "exact must be true or false"],
    ["weight=1e39", "weight must be a number"],
    ["score=1e999", "score must be a number"],
    ["score=.5", "score must be a number"],
    ["score=infinity", "score must be a number"],
    ["cursor=%3F", "cursor must be base64"],
    ["cursor=a", "cursor must be base64"],
    ["cursor=YQ=", "cursor must be base64"],
    ["cursor=YQ===", "cursor must be base64"],
    ["format=PAPER", "format must be one of FORMAT_UNSPECIFIED, FORMAT_PAPER, FORMAT_AUDIO"],
    ["format=format_paper", "format must be one of FORMAT_UNSPECIFIED, FORMAT_PAPER, FORMAT_AUDIO"],
    ["format=2147483648", "format must be one of FORMAT_UNSPECIFIED, FORMAT_PAPER, FORMAT_AUDIO"],
    ["format=", "format must be one of FORMAT_UNSPECIFIED, FORMAT_PAPER, FORMAT_AUDIO"],
    // Escapes
    ["text=%zz", "text must be percent-encoded UTF-8"],
    ["text=%ff", "text must be percent-encoded UTF-8"],
    ["text=%ED%A0%80", "text must be percent-encoded UTF-8"],
    ["%zz=1", "the query string must be percent-encoded UTF-8"],
    // Twice
    ["count=1&count=1", "count must be given once"],
    ["sinceId=1&since_id=1", "sinceId must be given once"],
    ["text=a&te%78t=b", "text must be given once"],
    ["maybe=&maybe=", "maybe must be given once"],
    ["note=a&note=a", "note must be given once"],
    ["criteria.year=1&criteria[year]=1", "criteria.year must be given once"],
    ["criteria={}&criteria.year=1", "criteria.year must be given once"],
    ["criteria.year=1&criteria={}", "criteria must be given once"],
    ["criteria={}&criteria={}", "criteria must be given once"],
    ["criteria={%22year%22:1,%22year%22:1}", "criteria.year must be given once"],
    ["labels[a]=1&labels[a]=2", "labels.a must be given once"],
    ["labels[a]=1&labels.a=2", "labels.a must be given once"],
    ["flags[1]=true&flags[01]=true", "flags.1 must be given once"],
    ["labels={}&labels[a]=2", "labels.a must be given once"],
    ["labels[a]=2&labels={}", "labels must be given once"],
    ["shelves[a]={}&shelves[a].year=2", "shelves.a.year must be given once"],
    // Members of a oneof
    ["city=a&zip=1", "zip must be left out where city is given"],
    ["spot.code=a&city=a", "city must be left out where spot is given"],
    ["spot.code=a&spot.number=1", "spot.number must be left out where code is given"],
    ["spot={%22code%22:%22a%22,%22number%22:1}", "spot.number must be left out where code is given"],
    // Messages
    ["criteria=", "criteria must be a JSON object"],
    ["criteria=null", "criteria must be a JSON object"],
    ["criteria=[]", "criteria must be a JSON object"],
    ["criteria={", "criteria must be a JSON object"],
    ["criteria={%22year%22:true}", `criteria.year must be ${INT32}`],
    ["criteria.year=x", `criteria.year must be ${INT32}`],
    ["more=[]", "more must be a JSON object"],
    ["after=yesterday", "after must be an RFC 3339 timestamp"],
    ["after=%222026-01-02T03:04:05Z%22", "after must be an RFC 3339 timestamp"],
    ["within=5", "within must be a duration in seconds such as 1.5s"],
    ["fields=publisher.city,since_id", "fields must be field names separated by commas"],
    ["fields=a_1", "fields must be field names separated by commas"],
    ["fields=a_", "fields must be field names separated by commas"],
    ["limit=x", `limit must be ${INT64}`],
    ["strict=1", "strict must be true or false"],
    ["extra=5", "extra must be a JSON object nested at most 64 deep"],
    ["extra=x", "extra must be a JSON object nested at most 64 deep"],
    ["anyValue=x", "anyValue must be a JSON value nested at most 64 deep"],
    // Maps
    ["labels=1", "labels must be a JSON object"],
    ["labels=[]", "labels must be a JSON object"],
    ["flags[x]=true", "flags.x must be left out: the keys are of type int32"],
    ["flags[1]=1", "flags.1 must be true or false"],
    ["flags={%22x%22:true}", "flags.x must be left out: the keys are of type int32"],
    ["shelves[a]=1", "shelves.a must be a JSON object"],
    ["shelves[a].year=x", `shelves.a.year must be ${INT32}`],
    // Unknown names, and the nearest
    ["Text=a", "Text is unknown: did you mean text?"],
    ["sinceID=1", "sinceID is unknown: did you mean sinceId?"],
    ["cuont=1", "cuont is unknown: did you mean count?"],
    ["shelf=1", "shelf is unknown: did you mean shelves?"],
    ["xyzzy=1", "xyzzy is unknown"],
    ["__proto__=1", "__proto__ is unknown"],
    ["constructor=1", "constructor is unknown"],
    ["=1", "the query string must be of parameters with names"],
    ["text=a&=", "the query string must be of parameters with names"],
    ["criteria.autor=a", "criteria.autor is unknown: did you mean criteria.author?"],
    ["criteria.inner.yaer=1", "criteria.inner.yaer is unknown: did you mean criteria.inner.year?"],
    ["criteria={%22autor%22:1}", "criteria.autor is unknown: did you mean criteria.author?"],
    ["spot.notes=1", "spot.notes is unknown: did you mean spot.note?"],
    ["count.x=1", "count.x is unknown"],
    ["count[]=1", "count. is unknown"],
    ["criteria[]={}", "criteria. is unknown"],
    ["after.seconds=1", "after.seconds is unknown"],
    ["authors[0]=a", "authors.0 is unknown"],
    ["more[0].author=a", "more.0.author is unknown"],
    ["labels[a][b]=1", "labels.a.b is unknown"],
    ["labels[a=1", "labels[a is unknown: did you mean labels?"],
    ["labels[a]b=1", "labels[a]b is unknown: did you mean labels?"],
    ["[text]=1", ".text is unknown"],
    // Limits
    // Names are cut after 200 characters.
    [`${deepName(33)}=a`, `${deepName(33).slice(0, 200)} must be nested at most 32 deep`],
    ["authors=a&".repeat(1_001), "the query string must be of at most 1000 parameters"],
    [`text=${"a".repeat(65_532)}`, "query string must have at most 65536 characters"],
  ])("%.80s", (text, message) => {
    expect(() => query(text)).toThrow(new Error(message));
  });
});

describe("a query is bound", () => {
  test.each<[string, JsonValue]>([
    ["", {}],
    ["&&", {}],
    ["text=a%2Bb", { text: "a+b" }],
    ["text=a+b", { text: "a b" }],
    ["text=a=b", { text: "a=b" }],
    ["text", {}],
    ["maybe", { maybe: "" }],
    ["te%78t=a", { text: "a" }],
    ["exact=true&count=-010&offset=4294967295", { exact: true, count: -10, offset: 4294967295 }],
    ["since_id=-9223372036854775808", { sinceId: "-9223372036854775808" }],
    ["untilId=18446744073709551615", { untilId: "18446744073709551615" }],
    ["sinceId=9007199254740993", { sinceId: "9007199254740993" }],
    ["weight=-1.5e3&score=NaN", { weight: -1500, score: "NaN" }],
    ["weight=-0&score=0", { weight: -0 }],
    ["cursor=-_8", { cursor: "+/8=" }],
    ["cursor=YQ==", { cursor: "YQ==" }],
    ["format=FORMAT_AUDIO", { format: "FORMAT_AUDIO" }],
    ["format=2&formats=1&formats=FORMAT_AUDIO", { format: "FORMAT_AUDIO", formats: ["FORMAT_PAPER", "FORMAT_AUDIO"] }],
    ["format=9", { format: 9 }],
    ["authors=a&authors=&authors[]=c", { authors: ["a", "", "c"] }],
    ["ids=1&ids=2", { ids: ["1", "2"] }],
    ["authors=a,b", { authors: ["a,b"] }],
    ["criteria.author=a&criteria[year]=5", { criteria: { author: "a", year: 5 } }],
    [
      "criteria.inner[inner].tags=a&criteria.inner.inner.tags=b",
      { criteria: { inner: { inner: { tags: ["a", "b"] } } } },
    ],
    ['criteria={"year":5,"tags":["a"]}', { criteria: { year: 5, tags: ["a"] } }],
    ['criteria={"year":null}', { criteria: {} }],
    ['more={"year":5}&more={}', { more: [{ year: 5 }, {}] }],
    ["labels[a]=1&labels[b.c]=2&labels.d=3&labels[]=4", { labels: { a: "1", "b.c": "2", d: "3", "": "4" } }],
    ['labels={"a":"1"}', { labels: { a: "1" } }],
    ["flags[-01]=true", { flags: { "-1": true } }],
    ["shelves[a].author=b&shelves[a].inner.year=1", { shelves: { a: { author: "b", inner: { year: 1 } } } }],
    ['shelves[a]={"year":1}&shelves[b]={}', { shelves: { a: { year: 1 }, b: {} } }],
    ["after=2026-01-02T03:04:05.123456789Z", { after: "2026-01-02T03:04:05.123456789Z" }],
    ["after=2026-01-02T03:04:05%2B02:00&within=1.5s", { after: "2026-01-02T01:04:05Z", within: "1.500s" }],
    ["fields=publisher.city,sinceId", { fields: "publisher.city,sinceId" }],
    ["note=null&limit=5&strict=false", { note: "null", limit: "5", strict: false }],
    ['extra={"a":[1,null]}', { extra: { a: [1, null] } }],
    ["anyValue=null", { anyValue: null }],
    ['anyValue="a"', { anyValue: "a" }],
    ["city=a", { city: "a" }],
    ["spot.code=a&spot.note=b", { spot: { code: "a", note: "b" } }],
    [`${deepName(32)}=a`, JSON.parse(`${'{"criteria":'}${'{"inner":'.repeat(30)}{"author":"a"}${"}".repeat(31)}`)],
  ])("%.80s", (text, expected) => {
    expect(query(text)).toEqual(expected);
  });

  test("a key that objects inherit is a key like any other", () => {
    const text = "labels[__proto__]=a&labels[constructor]=b&shelves[__proto__].author=c";
    expect(JSON.stringify(query(text))).toBe(
      '{"labels":{"__proto__":"a","constructor":"b"},"shelves":{"__proto__":{"author":"c"}}}',
    );
    expect(Reflect.get({}, "author")).toBeUndefined();
  });
});

describe("by its options, a query", () => {
  test.each<[BindingOptions, string, JsonValue]>([
    [{ unknownParameters: "ignore" }, "shelf=1&=2&Text=a&a[b=%zz&authors[0]=x&text=b", { text: "b" }],
    [{ unknownFields: "ignore" }, 'criteria={"autor":1}', { criteria: {} }],
    [
      { parameterNames: "any-case" },
      "TEXT=a&SINCE_ID=1&Criteria.Author=b",
      { text: "a", sinceId: "1", criteria: { author: "b" } },
    ],
    [
      { nearestIntegers: () => true },
      "sinceId=99999999999999999999&untilId=99999999999999999999999&count=2147483648&ids=9223372036854775808",
      {
        sinceId: "9223372036854775807",
        untilId: "18446744073709551615",
        count: 2147483647,
        ids: ["9223372036854775807"],
      },
    ],
    [{ nearestIntegers: () => true }, "sinceId=-99999999999999999999", { sinceId: "-9223372036854775808" }],
    [
      { emptyParameters: "ignore" },
      "count=&count&count=1&exact=&criteria.year=&criteria[author]=&text=&ids=&ids=2&city=&zip=3&after=&unknown=&criteria=&=",
      { count: 1, ids: ["2"], zip: 3 },
    ],
    [{ fieldMasks: "any" }, "fields=publisher.city,since_id,untilId", { fields: "publisher.city,sinceId,untilId" }],
    [{ structIntegers: "exact" }, "anyValue=9007199254740992", { anyValue: 9007199254740992 }],
    [{ queryLimits: { count: 2, length: 12 } }, "text=a&zip=1", { text: "a", zip: 1 }],
  ])("%j %s", (options, text, expected) => {
    expect(query(text, options)).toEqual(expected);
  });

  test.each<[BindingOptions, string, string]>([
    [
      { unknownParameters: "ignore" },
      "criteria={%22autor%22:1}",
      "criteria.autor is unknown: did you mean criteria.author?",
    ],
    [{ unknownParameters: "ignore" }, "%zz=1", "the query string must be percent-encoded UTF-8"],
    [{ unknownFields: "ignore" }, "autor=1", "autor is unknown: did you mean authors or after?"],
    [{ parameterNames: "any-case" }, "TEXT=a&text=b", "text must be given once"],
    [{ nearestIntegers: () => true }, "untilId=-1", "untilId must be a whole number from 0"],
    [{ nearestIntegers: () => true }, "sinceId=x", "sinceId must be a whole number"],
    [{ nearestIntegers: ({ name }) => name === "count" }, "sinceId=9223372036854775808", `sinceId must be ${INT64}`],
    [{ nearestIntegers: () => true }, "criteria={%22year%22:2147483648}", `criteria.year must be ${INT32}`],
    [{ emptyParameters: "ignore" }, "%zz=", "the query string must be percent-encoded UTF-8"],
    [{ emptyParameters: "ignore" }, "count=%20", `count must be ${INT32}`],
    [{ fieldMasks: "any" }, "fields=a_1", "fields must be field names separated by commas"],
    [{ fieldMasks: "any" }, "fields=a_", "fields must be field names separated by commas"],
    [
      { structIntegers: "exact" },
      "anyValue=9007199254740993",
      "anyValue must be of whole numbers that a double can hold",
    ],
    [
      { structIntegers: "exact" },
      "any_value=100000000000000000000001",
      "anyValue must be of whole numbers that a double can hold",
    ],
    [{ queryLimits: { count: 1 } }, "text=a&zip=1", "the query string must be of at most 1 parameters"],
    [{ queryLimits: { depth: 1 } }, "criteria.year=1", "criteria.year must be nested at most 1 deep"],
    [{ queryLimits: { length: 5 } }, "text=a", "query string must have at most 5 characters"],
  ])("%j %s is refused", (options, text, message) => {
    expect(() => query(text, options)).toThrow(new Error(message));
  });
});
