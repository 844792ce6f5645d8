import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { json, type Library, send, sendRaw, serveLibrary } from "../../test/serve-library.ts";

const BOOK = "/v1/shelves/1/books/2";
let library: Library;
beforeAll(async () => {
  library = await serveLibrary(async () => ({}));
});
afterAll(() => library.close());
afterEach(() => expect(library.calls).toEqual([]));

const messageOf = (text: string) => JSON.parse(text).message;

describe("an encoded body", () => {
  const encoded = (bytes: Uint8Array, encoding = "gzip") => json(bytes, { "content-encoding": encoding });
  test.each<[string, RequestInit, number, string]>([
    ["that is not", encoded(Buffer.from("{}")), 400, "request body is not valid gzip"],
    ["that is cut", encoded(gzipSync("{}").subarray(0, 12)), 400, "request body is not valid gzip"],
    ["of another encoding", encoded(gzipSync("{}"), "br"), 400, "request body is not valid br"],
    ["without the header of zlib", encoded(gzipSync("{}"), "deflate"), 400, "request body is not valid deflate"],
    ["over the limit of sizes", encoded(gzipSync(`"${"ab".repeat(2 ** 20)}"`)), 413, "request body is too large"],
    ["over the ratio", encoded(gzipSync(`"${"a".repeat(2 ** 19)}"`)), 413, "request body is too large"],
  ])("%s is refused", async (_name, init, status, message) => {
    const reply = await send(library, "PATCH", BOOK, init);
    expect([reply.status, messageOf(reply.text)]).toEqual([status, message]);
  });
});

describe("a body over the limit", () => {
  test("in chunks is counted, and the response arrives while the client is still sending", async () => {
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const head = `PATCH ${BOOK} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const text = await sendRaw(library.port, `${head}${chunk.repeat(40)}0\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 413 [\s\S]*Connection: close[\s\S]*request body is too large/);
  });

  test("is refused before its first byte if its length is declared", async () => {
    const head = `PATCH ${BOOK} HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n`;
    expect(await sendRaw(library.port, head)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("is refused also where the limit is less than what is read at once", async () => {
    const tiny = await serveLibrary(async () => ({}), { bodyLimit: 100 });
    for (const init of [json(" ".repeat(101)), json(" ".repeat(40_000))]) {
      expect((await send(tiny, "PATCH", BOOK, init)).status).toBe(413);
    }
    const chunks = `64\r\n${" ".repeat(100)}\r\n1\r\n \r\n0\r\n\r\n`;
    const head = `PATCH ${BOOK} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await sendRaw(tiny.port, head + chunks)).toMatch(/^HTTP\/1\.1 413 /);
    expect(tiny.calls).toEqual([]);
    await tiny.close();
  });
});
