import fc from "fast-check";

/** A request that no honest client sends, or one that is nearly right. */
export interface Fuzzed {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  readonly isLenient: boolean;
}

const odd = fc.constantFrom(
  "%",
  "%zz",
  "%ff",
  "%2F",
  "%2e",
  "..",
  ".",
  "",
  "*",
  ":",
  ":move",
  "{name}",
  "é",
  "\0",
  "%00",
  "+",
);
const segment = fc.oneof({ weight: 3, arbitrary: fc.constantFrom("a", "b", "shelves", "books") }, odd);
const pair = fc.tuple(segment, segment);
/** A method, and a path that it belongs to. */
const place: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  pair.map(([a, b]) => ["GET", `/v1/shelves/${a}/books/${b}`] as const),
  pair.map(([a, b]) => ["PATCH", `/v1/shelves/${a}/books/${b}`] as const),
  pair.map(([a, b]) => ["DELETE", `/v1/shelves/${a}/books/${b}`] as const),
  segment.map((a) => ["GET", `/v1/shelves/${a}/books`] as const),
  segment.map((a) => ["POST", `/v1/shelves/${a}/books`] as const),
  pair.map(([a, b]) => ["POST", `/v1/shelves/${a}/books/${b}:move`] as const),
  segment.map((a) => ["GET", `/v1/search/${a}`] as const),
  pair.map(([a, b]) => ["PUT", `/v1/shelves/${a}/books/${b}/cover`] as const),
  segment.map((a) => ["GET", `/v1/shelves/${a}/books:watch`] as const),
  pair.map(([a, b]) => ["GET", `/v1/shelves/${a}/books/${b}:read`] as const),
  fc.constant(["POST", "/v1/books:scan"] as const),
  fc.array(segment, { maxLength: 4 }).map((parts) => ["GET", `/files/${parts.join("/")}`] as const),
  fc.array(segment, { maxLength: 6 }).map((parts) => ["GET", `/${parts.join("/")}`] as const),
);
const name = fc.constantFrom(
  "name",
  "parent",
  "path",
  "book.name",
  "book[name]",
  "book",
  "criteria",
  "criteria.author",
  "criteria.inner.author",
  "shelf",
  "place.code",
  "room",
  "count",
  "sinceId",
  "after",
  "extra",
  "labels[a]",
  "labels[__proto__]",
  "shelves[__proto__].author",
  "flags[1]",
  "constructor",
  "__proto__",
  "a[b",
  "update_mask",
);
const value = fc.oneof(
  odd,
  fc.constantFrom("a", "1", "-1", "{}", "[]", "null", "true", '{"author":"x"}', "1e999", '"', "{"),
);
const query = fc
  .array(fc.tuple(name, value), { maxLength: 5 })
  .map((pairs) => pairs.map((pair) => pair.join("=")).join("&"));
const key = fc.constantFrom(
  "name",
  "book",
  "title",
  "authors",
  "labels",
  "pages",
  "publisher",
  "shelf",
  "place",
  "code",
  "room",
  "x",
  "__proto__",
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, "", "a", "\ud800", 0, -1, 1.5, 2 ** 60, true, []),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(key, tie("tree"), { maxKeys: 5 }),
  ),
}));
const body = fc.oneof(
  fc.constant(undefined),
  tree.map((json) => JSON.stringify(json)),
  fc
    .tuple(tree, fc.nat(40), fc.constantFrom("", '"', "}", "\\", "1e9", "9007199254740993", "\n"))
    .map(([json, at, text]) => {
      const whole = JSON.stringify(json);
      return whole.slice(0, at) + text + whole.slice(at);
    }),
);
const bytes = fc.oneof(
  { weight: 4, arbitrary: body.map((text) => (text === undefined ? undefined : Buffer.from(text))) },
  fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
);
const header = (...values: string[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...values) });
const headers = fc.record({
  "content-type": header(
    "application/json",
    "application/json; charset=utf-16",
    "text/plain",
    "a/b+json",
    ";",
    "image/png",
  ),
  "content-encoding": header("gzip", "br", "deflate", "identity", "gzip, br", "x"),
  accept: header("application/json", "text/event-stream", "application/x-ndjson", "a/b;q=x", ","),
  "grpc-timeout": header("1S", "0S", "1", "99999999H", "1e3m"),
  "connect-timeout-ms": header("1000", "-1", "1e3"),
  "if-none-match": header("*", '"1"', "W/", '"'),
  "content-length": header("0", "99999999", "x", "-1"),
  origin: header("https://a.example", "null"),
  "access-control-request-method": header("GET", ""),
  expect: header("100-continue", "x"),
});

const anyMethod = fc.constantFrom("GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS", "get", "TRACE");

export const fuzzed: fc.Arbitrary<Fuzzed> = fc
  .record({
    place,
    other: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anyMethod }),
    query,
    headers: headers.map((fields) => Object.fromEntries(Object.entries(fields).flatMap(present))),
    body: bytes,
    isLenient: fc.boolean(),
  })
  .map(({ place: [method, path], other, query: sent, ...rest }) => ({
    ...rest,
    method: other ?? method,
    target: `${path}?${sent}`,
  }));

const present = ([name, value]: readonly [string, string | undefined]) => (value === undefined ? [] : [[name, value]]);
