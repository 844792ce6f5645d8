import {
  create,
  createRegistry,
  type DescField,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { AnySchema, ApiSchema, anyPack, OptionSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  type Book,
  BookSchema,
  Format,
  ListBooksResponseSchema,
  SearchRequestSchema,
} from "../../test/gen/library/v1/library_pb.ts";
import { randomMessage } from "../../test/random-message.ts";
import { AnswerTooLarge, COMPILED_FORM, type JsonOptions, renderJson, writeJson } from "./render-json.ts";

const render = (type: DescMessage, message: Message, options?: JsonOptions, only?: DescField) =>
  JSON.stringify(renderJson(type, message, only, options));
const search = (init: Parameters<typeof create<typeof SearchRequestSchema>>[1]) => create(SearchRequestSchema, init);
const at = (seconds: bigint, nanos: number) => create(TimestampSchema, { seconds, nanos });

describe("a reply is ProtoJSON", () => {
  test.each<[ReturnType<typeof search>, string]>([
    [search({}), "{}"],
    [search({ text: "", count: 0, authors: [], labels: {}, format: Format.UNSPECIFIED }), "{}"],
    [search({ maybe: "", note: "", strict: false, limit: 0n }), '{"note":"","limit":"0","strict":false,"maybe":""}'],
    [search({ criteria: {} }), '{"criteria":{}}'],
    [search({ place: { case: "zip", value: 0 } }), '{"zip":0}'],
    [
      search({ sinceId: 9007199254740993n, untilId: 2n ** 64n - 1n }),
      '{"sinceId":"9007199254740993","untilId":"18446744073709551615"}',
    ],
    [search({ weight: Number.NaN, score: Number.NEGATIVE_INFINITY }), '{"weight":"NaN","score":"-Infinity"}'],
    [search({ cursor: Uint8Array.of(0xfb, 0xff) }), '{"cursor":"+/8="}'],
    [
      search({ format: Format.AUDIO, formats: [Format.PAPER, 9 as Format] }),
      '{"format":"FORMAT_AUDIO","formats":["FORMAT_PAPER",9]}',
    ],
    [search({ after: at(1767323045n, 0) }), '{"after":"2026-01-02T03:04:05Z"}'],
    [search({ after: at(1767323045n, 120_000_000) }), '{"after":"2026-01-02T03:04:05.120Z"}'],
    [search({ after: at(1767323045n, 123_456_789) }), '{"after":"2026-01-02T03:04:05.123456789Z"}'],
    [search({ within: { seconds: 1n, nanos: 5_000 } }), '{"within":"1.000005s"}'],
    [search({ fields: { paths: ["a_b.c", "d"] } }), '{"fields":"aB.c,d"}'],
    [search({ extra: { b: 1, a: [null] } }), '{"extra":{"b":1,"a":[null]}}'],
    [search({ anyValue: { kind: { case: "nullValue", value: 0 } } }), '{"anyValue":null}'],
    [search({ labels: { b: "1", a: "2", "10": "3", "9": "4" } }), '{"labels":{"9":"4","10":"3","a":"2","b":"1"}}'],
    [search({ more: [{ year: 5 }, {}], count: 1 }), '{"count":1,"more":[{"year":5},{}]}'],
  ])("%#", (message, json) => {
    expect(render(SearchRequestSchema, message)).toBe(json);
  });
});

describe("by its options, a reply has", () => {
  const message = search({ sinceId: 5n, format: Format.AUDIO, after: at(1n, 999_999_999) });

  test.each<[JsonOptions, string]>([
    [{ names: "proto" }, '{"since_id":"5","format":"FORMAT_AUDIO","after":"1970-01-01T00:00:01.999999999Z"}'],
    [{ enums: "numbers" }, '{"sinceId":"5","format":2,"after":"1970-01-01T00:00:01.999999999Z"}'],
    [{ timestamps: "milliseconds" }, '{"sinceId":"5","format":"FORMAT_AUDIO","after":"1970-01-01T00:00:01.999Z"}'],
  ])("%j", (options, json) => {
    expect(render(SearchRequestSchema, message, options)).toBe(json);
  });

  test("every field without presence, and null for an absent time", () => {
    const book = create(BookSchema, { title: "a" });
    expect(render(BookSchema, book, { defaults: "write" })).toBe(
      '{"name":"","title":"a","authors":[],"labels":{},"pages":"0"}',
    );
    expect(render(SearchRequestSchema, search({}), { absentTimestamps: "null" })).toBe('{"after":null}');
    expect(render(SearchRequestSchema, search({}), { absentTimestamps: "null", names: "proto" })).toBe(
      '{"after":null}',
    );
  });

  test("the content of Any, by the registry", () => {
    const value = anyPack(BookSchema, create(BookSchema, { title: "a" }));
    const option = create(OptionSchema, { name: "n", value });
    const json = '{"name":"n","value":{"@type":"type.googleapis.com/library.v1.Book","title":"a"}}';
    expect(render(OptionSchema, option, { registry: createRegistry(BookSchema) })).toBe(json);
    expect(() => render(OptionSchema, option)).toThrow("library.v1.Book");
    option.value = anyPack(TimestampSchema, at(1n, 5));
    expect(
      render(OptionSchema, option, { registry: createRegistry(TimestampSchema), timestamps: "milliseconds" }),
    ).toBe(
      '{"name":"n","value":{"@type":"type.googleapis.com/google.protobuf.Timestamp","value":"1970-01-01T00:00:01.000Z"}}',
    );
    option.value = create(AnySchema);
    expect(render(OptionSchema, option)).toBe('{"name":"n","value":{}}');
  });
});

describe("a response field is", () => {
  const { field } = SearchRequestSchema;

  test.each<[DescField, string]>([
    [field.text, '""'],
    [field.exact, "false"],
    [field.count, "0"],
    [field.sinceId, '"0"'],
    [field.format, '"FORMAT_UNSPECIFIED"'],
    [field.cursor, '""'],
    [field.authors, "[]"],
    [field.more, "[]"],
    [field.labels, "{}"],
    [field.criteria, "{}"],
    [field.spot, "{}"],
    [field.after, "null"],
    [field.note, "null"],
    [field.limit, "null"],
    [field.extra, "null"],
    [field.anyValue, "null"],
    [field.maybe, "null"],
    [field.city, "null"],
  ])("%s of an empty reply: %s", (only, json) => {
    expect(render(SearchRequestSchema, search({}), {}, only)).toBe(json);
    expect(render(SearchRequestSchema, search({}), { names: "proto" }, only)).toBe(json);
  });

  test("the field alone, if the reply has it", () => {
    expect(render(SearchRequestSchema, search({ note: "" }), {}, field.note)).toBe('""');
    expect(render(SearchRequestSchema, search({ criteria: { year: 1 } }), {}, field.criteria)).toBe('{"year":1}');
    expect(render(SearchRequestSchema, search({ sinceId: 1n }), { names: "proto" }, field.sinceId)).toBe('"1"');
  });
});

test("equal messages have equal bytes, in whatever order they came", () => {
  fc.assert(
    fc.property(fc.gen(), (draw) => {
      const message = randomMessage(BookSchema, draw) as Book;
      const again = fromBinary(BookSchema, toBinary(BookSchema, message));
      const labels = Object.entries((again as { labels?: Record<string, string> }).labels ?? {});
      Reflect.set(again, "labels", Object.fromEntries(labels.reverse()));
      expect(render(BookSchema, again)).toBe(render(BookSchema, message));
    }),
  );
});

test("a reply can be read again", () => {
  fc.assert(
    fc.property(fc.gen(), fc.boolean(), fc.boolean(), (draw, isProto, isNumber) => {
      const message = randomMessage(ListBooksResponseSchema, draw);
      const options: JsonOptions = { names: isProto ? "proto" : "json", enums: isNumber ? "numbers" : "names" };
      const read = fromJson(ListBooksResponseSchema, renderJson(ListBooksResponseSchema, message, undefined, options));
      expect(render(ListBooksResponseSchema, read)).toBe(render(ListBooksResponseSchema, message));
    }),
  );
});

test("in the form of the compiled writers, a record has every field, in order, and milliseconds", () => {
  expect(render(ApiSchema, create(ApiSchema, { name: "a", version: "1" }), COMPILED_FORM)).toBe(
    '{"name":"a","methods":[],"options":[],"version":"1","mixins":[],"syntax":"SYNTAX_PROTO2","edition":""}',
  );
});

const REPLIES: readonly JsonValue[] = [
  null,
  "text",
  [],
  {},
  { page: 0, designs: [{ id: "é\u0001", deletedAt: null }, {}], "a\nb": [[1, 2], []], metadata: { deep: { er: [0] } } },
];

test.each(REPLIES)("writes what JSON.stringify writes: %j", (reply) => {
  const expected = JSON.stringify(reply);
  expect(writeJson(reply, Buffer.byteLength(expected))).toBe(expected);
  expect(() => writeJson(reply, Buffer.byteLength(expected) - 1)).toThrow(AnswerTooLarge);
});

test("writes no item after the one that is too large", () => {
  let written = 0;
  const item = { toJSON: () => "x".repeat(100 * ++written) } as unknown as JsonValue;
  expect(() => writeJson({ designs: Array<JsonValue>(1_000).fill(item) }, 1_000)).toThrow(AnswerTooLarge);
  expect(written).toBeLessThan(10);
});
