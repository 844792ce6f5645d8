import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { BookSchema, FileSchema } from "../../test/gen/library/v1/library_pb.ts";
import { overrides } from "../../test/overrides.ts";
import { type Behave, type Call, json, type Library, send, sendRaw, serveLibrary } from "../../test/serve-library.ts";
import type { TranscoderOptions } from "../transcoder-options.ts";

const BOOK = "/v1/shelves/1/books/2";
const book = create(BookSchema, { name: "shelves/1/books/2", title: "ä" });
let library: Library;
let behave: Behave;
const start = async (options: Partial<TranscoderOptions> = {}) => {
  await library?.close();
  library = await serveLibrary((call) => behave(call), options);
};
beforeEach(() => {
  behave = async () => ({ message: book });
  return start();
});
afterEach(async () => {
  await library.close();
});

describe("a call", () => {
  test("carries message, deadline and headers, and the reply is ProtoJSON", async () => {
    const { status, headers, text } = await send(library, "PATCH", "/v1/shelves/a%2Fb/books/c", {
      body: '{"title":"n"}',
      headers: { authorization: "Bearer t", cookie: "c=1", "content-type": 'Application/JSON ; charset="UTF-8"' },
    });
    expect([status, headers.get("content-type"), JSON.parse(text)]).toEqual([
      200,
      "application/json",
      { name: "shelves/1/books/2", title: "ä" },
    ]);
    expect(headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    expect(library.calls).toMatchObject([
      {
        method: "UpdateBook",
        message: { book: { name: "shelves/a%2Fb/books/c", title: "n" }, updateMask: { paths: ["title"] } },
        timeoutMs: 10_000,
        headers: { authorization: "Bearer t" },
      },
    ]);
    expect(Object.keys(library.calls[0]?.headers ?? {})).toEqual(["authorization"]);
  });

  test.each([undefined, "null", ""])("without a body (%j) is one with {}", async (body) => {
    const seen: boolean[] = [];
    await start({
      hooks: {
        bound: (_call, _message, hasBody) => {
          seen.push(hasBody);
          return undefined;
        },
      },
    });
    const init = body === undefined ? {} : json(body);
    expect((await send(library, "POST", `${BOOK}:move`, init)).status).toBe(200);
    expect((await send(library, "POST", `${BOOK}:move`, json("{}"))).status).toBe(200);
    expect(seen).toEqual([false, true]);
  });

  test("with null for a field that it is a value of has that value", async () => {
    behave = async () => ({});
    await start({
      ...overrides({
        Search: { post: "/value", body: "any_value", additionalBindings: [{ post: "/note", body: "note" }] },
      }),
    });
    expect((await send(library, "POST", "/value", json("null"))).status).toBe(200);
    expect((await send(library, "POST", "/note", json("null"))).status).toBe(200);
    expect((await send(library, "POST", "/value")).status).toBe(200);
    expect(
      library.calls.map(({ message }) => [Reflect.get(message, "anyValue"), Reflect.get(message, "note")]),
    ).toEqual([
      [expect.objectContaining({ kind: { case: "nullValue", value: 0 } }), undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  test("of a rule without a body ignores one, if the options say so", async () => {
    await start({ binding: { unboundBody: "ignore" } });
    const init = { body: "not json", headers: { "content-type": "text/plain", "content-encoding": "zip" } };
    expect((await send(library, "DELETE", BOOK, init)).status).toBe(200);
  });

  test.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["br", brotliCompressSync],
    ["DEFLATE", deflateSync],
  ])("has a body encoded with %s", async (encoding, encode) => {
    const init = json(encode('{"title":"n"}'), { "content-encoding": encoding });
    expect((await send(library, "PATCH", BOOK, init)).status).toBe(200);
    expect(library.calls[0]?.message).toMatchObject({ book: { title: "n" } });
  });

  test("has a body of a type that ends in +json", async () => {
    const init = json("{}", { "content-type": "application/merge-patch+json; charset=utf-8" });
    expect((await send(library, "PATCH", BOOK, init)).status).toBe(200);
  });

  test("by HEAD is GET without the body", async () => {
    const get = await send(library, "GET", BOOK);
    const head = await send(library, "HEAD", BOOK);
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
  });

  test("is one of several in a connection, whose responses have the order of the requests", async () => {
    const slow = Promise.withResolvers<void>();
    behave = async ({ message }) => {
      const path = String(Reflect.get(message, "path"));
      if (path === "1") await slow.promise;
      if (path === "3") slow.resolve();
      return { message: create(FileSchema, { text: path }) };
    };
    const line = (path: number, last = "") => `GET /files/${path} HTTP/1.1\r\nHost: x\r\n${last}\r\n`;
    const text = await sendRaw(library.port, line(1) + line(2) + line(3, "Connection: close\r\n"));
    expect(text.match(/"\d"/g)).toEqual(['"1"', '"2"', '"3"']);
  });
});

describe("metadata", () => {
  test("of a request and a reply is passed on by name", async () => {
    await start({ forward: ["X-Context"], passBack: ["X-Cost", "X-Late"] });
    behave = async () => ({ message: book, headers: { "x-cost": "1", "x-secret": "2" }, trailers: { "x-late": "3" } });
    const { headers } = await send(library, "GET", BOOK, { headers: { "x-context": "c", authorization: "a" } });
    expect(library.calls[0]?.headers).toEqual({ "x-context": "c" });
    expect(["x-cost", "x-late", "x-secret"].map((name) => headers.get(name))).toEqual(["1", "3", null]);
  });

  test("of an error is passed on by name", async () => {
    await start({ passBack: ["X-Cost"] });
    behave = () => Promise.reject(new ConnectError("no", Code.NotFound, { "x-cost": "1", "x-secret": "2" }));
    const { status, headers } = await send(library, "GET", BOOK);
    expect([status, headers.get("x-cost"), headers.get("x-secret")]).toEqual([404, "1", null]);
  });

  test("that HTTP/2 could not carry is dropped", async () => {
    const head = `GET ${BOOK} HTTP/1.1\r\nHost: x\r\nAuthorization: \xe4\r\nTraceparent: t\r\nConnection: close\r\n\r\n`;
    await sendRaw(library.port, Buffer.from(head, "latin1"));
    expect(library.calls[0]?.headers).toEqual({ traceparent: "t" });
  });

  test.each(["Content-Length", "host", "grpc-timeout", "Connect-Protocol-Version", "te", "a b", ""])(
    "cannot be %j",
    async (name) => {
      const message = `"${name}" cannot be passed on: it belongs to the connection, the body or the protocol`;
      await expect(serveLibrary(behave, { forward: [name] })).rejects.toThrow(message);
      await expect(serveLibrary(behave, { passBack: [name] })).rejects.toThrow(message);
    },
  );
});

describe("a client that disconnects", () => {
  test("ends its call", async () => {
    const arrived = Promise.withResolvers<Call>();
    const responded = Promise.withResolvers<number>();
    await start({ hooks: { responded: (_, status) => responded.resolve(status) } });
    behave = (call) => {
      arrived.resolve(call);
      return new Promise((_, reject) => call.signal.addEventListener("abort", () => reject(new Error("aborted"))));
    };
    const client = httpRequest(library.url + BOOK).on("error", () => {});
    client.end();
    const { signal } = await arrived.promise;
    expect(signal.aborted).toBe(false);
    client.destroy();
    expect(await responded.promise).toBe(499);
    expect(signal.aborted).toBe(true);
  });

  test("in the middle of the body calls nothing", async () => {
    const responded = Promise.withResolvers<number>();
    await start({ hooks: { responded: (_, status) => responded.resolve(status) } });
    const socket = connect(library.port, "127.0.0.1");
    socket.write(`PATCH ${BOOK} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{`, () => socket.destroy());
    expect(await responded.promise).toBe(499);
    expect(library.calls).toEqual([]);
  });
});
