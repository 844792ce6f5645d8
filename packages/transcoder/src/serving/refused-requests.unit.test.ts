import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { overrides } from "../../test/overrides.ts";
import { json, type Library, send, serveLibrary } from "../../test/serve-library.ts";

const BOOK = "/v1/shelves/1/books/2";
let library: Library;
let strict: Library;
beforeAll(async () => {
  library = await serveLibrary(async () => ({}));
  strict = await serveLibrary(async () => ({}), { jsonTypes: "plain", requestEncodings: [] });
});
afterAll(() => Promise.all([library.close(), strict.close()]));
afterEach(() => expect([...library.calls, ...strict.calls]).toEqual([]));

const messageOf = (text: string) => (text === "" ? "" : JSON.parse(text).message);

describe("a request of a wrong form is refused without a call", () => {
  test.each<[string, string, RequestInit, number, string]>([
    ["GET", "/nowhere", {}, 404, "no such path"],
    ["GET", "/v1/shelves/1/books/", {}, 404, "no such path"],
    ["PUT", BOOK, {}, 405, "method not allowed"],
    ["GET", "/v1/shelves/%zz/books", {}, 400, "request path is not valid percent-encoded UTF-8"],
    ["PATCH", BOOK, json("{}", { "content-type": "text/plain" }), 415, "content type must be application/json"],
    ["PATCH", BOOK, json("{}", { "content-type": "application/jsonx" }), 415, "content type must be application/json"],
    ["PATCH", BOOK, json("{}", { "content-type": "a+json/b" }), 415, "content type must be application/json"],
    [
      "PATCH",
      BOOK,
      json("{}", { "content-type": "application/json; charset=latin1" }),
      415,
      "content type must be application/json",
    ],
    ["PATCH", BOOK, json("{]"), 400, "request body is not valid JSON: position 1"],
    ["PATCH", BOOK, json("[]"), 400, "book must be a JSON object"],
    ["PATCH", BOOK, json('{"title":1}'), 400, "book.title must be a string"],
    ["PATCH", BOOK, json('{"tilte":""}'), 400, "book.tilte is unknown: did you mean book.title?"],
    ["PATCH", BOOK, json('{"name":"shelves/1/books/3"}'), 400, "book.name must be as in the path, or left out"],
    ["PATCH", `${BOOK}?book.title=x`, json("{}"), 400, "book.title must be in the body"],
    ["PATCH", BOOK, json(`"${"x".repeat(2 ** 20)}"`), 413, "request body is too large"],
    ["GET", `${BOOK}?x=1`, {}, 400, "x is unknown"],
    ["GET", `${BOOK}?name=a&name=b`, {}, 400, "name must be given once"],
    ["GET", `${BOOK}?x=${"y".repeat(2 ** 13)}`, {}, 400, `x is unknown`],
    ["DELETE", BOOK, json("{}"), 400, "request must have no body"],
    ["DELETE", BOOK, json("x".repeat(2 ** 20 + 1)), 413, "request body is too large"],
    ["GET", BOOK, { headers: { "grpc-timeout": "1" } }, 400, ""],
  ])("%s %s (%#)", async (method, path, init, status, message) => {
    const reply = await send(library, method, path, init);
    expect(reply.status).toBe(status);
    if (message !== "") expect(messageOf(reply.text)).toBe(message);
  });

  test.each([
    ["grpc-timeout", "1", "up to 8 digits above 0 and one of H, M, S, m, u and n"],
    ["grpc-timeout", "0S", "up to 8 digits above 0 and one of H, M, S, m, u and n"],
    ["grpc-timeout", "123456789S", "up to 8 digits above 0 and one of H, M, S, m, u and n"],
    ["grpc-timeout", "-1S", "up to 8 digits above 0 and one of H, M, S, m, u and n"],
    ["grpc-timeout", "1s", "up to 8 digits above 0 and one of H, M, S, m, u and n"],
    ["connect-timeout-ms", "0", "up to 10 digits above 0"],
    ["connect-timeout-ms", "1.5", "up to 10 digits above 0"],
    ["connect-timeout-ms", "12345678901", "up to 10 digits above 0"],
    ["connect-timeout-ms", "", "up to 10 digits above 0"],
  ])("with a deadline that is none: %s: %s", async (name, value, accepts) => {
    const { status, text } = await send(library, "GET", BOOK, { headers: { [name]: value } });
    expect([status, messageOf(text)]).toEqual([400, `header ${name} must be ${accepts}`]);
  });

  test("with the method of another request in a header", async () => {
    const headers = { "x-http-method-override": "DELETE", "x-http-method": "DELETE", "x-method-override": "DELETE" };
    expect((await send(library, "PUT", BOOK, { headers })).status).toBe(405);
  });

  test("with a target over the limit of queries", async () => {
    const small = await serveLibrary(async () => ({}), { binding: { queryLimits: { length: 10 } } });
    const { status, text } = await send(small, "GET", `${BOOK}?x=123456789`);
    expect([status, messageOf(text)]).toEqual([414, "query string must have at most 10 characters"]);
    await small.close();
  });

  test("with JSON that is nested deeper than the options allow", async () => {
    const deep = await serveLibrary(async () => ({}), { binding: { jsonDepth: 2 } });
    const { status, text } = await send(deep, "PATCH", BOOK, json('{"authors":[[]]}'));
    expect([status, messageOf(text)]).toEqual([400, "request body is not valid JSON: position 12"]);
    await deep.close();
    await expect(serveLibrary(async () => ({}), { binding: { jsonDepth: 0 } })).rejects.toThrow(
      "jsonDepth must be a whole number from 1 to 1000, not 0",
    );
  });
});

describe("a body that is a number alone is exact or refused:", () => {
  test.each([
    ["since_id", " 9007199254740993\n", 200, { sinceId: 9007199254740993n }],
    ["since_id", "\ufeff90071992547409930e-1", 200, { sinceId: 9007199254740993n }],
    ["since_id", "9007199254740993.5", 400, undefined],
    ["format", "0.99999999999999999999", 400, undefined],
    ["any_value", "9007199254740992", 200, { anyValue: { kind: { value: 9007199254740992 } } }],
    ["any_value", "9007199254740993", 400, undefined],
    ["any_value", "1e400", 400, undefined],
  ])("%s: %j", async (body, text, status, message) => {
    const numbers = await serveLibrary(async () => ({}), {
      binding: { structIntegers: "exact" },
      ...overrides({ Search: { post: "/value", body } }),
    });
    expect((await send(numbers, "POST", "/value", json(text))).status).toBe(status);
    expect(numbers.calls.map((call) => call.message)).toMatchObject(message === undefined ? [] : [message]);
    await numbers.close();
  });
});

describe("a refusal names what would be accepted", () => {
  const refusedType = { body: "x", headers: { "content-type": "text/plain" } };
  test.each<[string, string, RequestInit, Record<string, string | null>]>([
    ["PUT", BOOK, {}, { allow: "DELETE, GET, HEAD, PATCH" }],
    ["PATCH", BOOK, refusedType, { accept: "application/json", "accept-patch": "application/json" }],
    ["POST", `${BOOK}:move`, refusedType, { accept: "application/json", "accept-post": "application/json" }],
    [
      "POST",
      `${BOOK}:move`,
      json("x", { "content-encoding": "compress" }),
      { "accept-encoding": "gzip, br, deflate, identity", accept: null },
    ],
    [
      "POST",
      `${BOOK}:move`,
      json("x", { "content-encoding": "gzip, gzip" }),
      { "accept-encoding": "gzip, br, deflate, identity" },
    ],
  ])("%s %s (%#)", async (method, path, init, expected) => {
    const { headers } = await send(library, method, path, init);
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)]))).toEqual(expected);
  });
});

describe("with strict options", () => {
  test.each<[string, RequestInit, number, string]>([
    [
      "a type that ends in +json",
      json("{}", { "content-type": "application/merge-patch+json" }),
      415,
      "content type must be application/json",
    ],
    ["an encoding", json(gzipSync("{}"), { "content-encoding": "gzip" }), 415, "content encoding must be identity"],
  ])("%s is refused", async (_name, init, status, message) => {
    const reply = await send(strict, "PATCH", BOOK, init);
    expect([reply.status, messageOf(reply.text)]).toEqual([status, message]);
  });
});
