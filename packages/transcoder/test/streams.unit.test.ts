import { request } from "node:http";
import { create, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { TranscoderOptions } from "../src/transcoder-options.ts";
import { HttpBodySchema } from "./gen/google/api/httpbody_pb.ts";
import { BookSchema } from "./gen/library/v1/library_pb.ts";
import { type Call, type Library, send, serveLibrary } from "./serve-library.ts";

const WATCH = "/v1/shelves/1/books:watch";
const book = (title: string) => create(BookSchema, { title });
let library: Library;
afterEach(() => library.close());

async function start(
  messages: (call: Call) => AsyncIterable<Message>,
  options: Partial<TranscoderOptions> = {},
): Promise<Library> {
  library = await serveLibrary(async (call) => ({ messages: messages(call), headers: { etag: '"1"' } }), options);
  return library;
}

async function* two() {
  yield book("a");
  yield book("b\n");
}

async function* broken(count: number) {
  for (let index = 0; index < count; index++) yield book(String(index));
  throw new ConnectError("no more", Code.DataLoss);
}

/** Reads a response to its end, or until it is cut; `onData` is called with all that has arrived. */
function read(accept: string | undefined, onData?: (text: string) => void) {
  return new Promise<{ status: number; type: string | undefined; text: string; isWhole: boolean }>(
    (resolve, reject) => {
      const headers = accept === undefined ? {} : { Accept: accept };
      const sent = request(library.url + WATCH, { headers }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
          onData?.(text);
        });
        response.on("error", () => {});
        response.on("close", () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers["content-type"],
            text,
            isWhole: response.complete,
          }),
        );
      });
      sent.on("error", reject).end();
    },
  );
}

const A = '{"title":"a"}';
const B = '{"title":"b\\n"}';
const RETRY = "retry: 1000\n\n";

describe("a stream", () => {
  test.each<[string | undefined, string, string]>([
    [undefined, "application/json", `[\n${A},\n${B}\n]\n`],
    ["*/*", "application/json", `[\n${A},\n${B}\n]\n`],
    ["application/*", "application/json", `[\n${A},\n${B}\n]\n`],
    ["text/html", "application/json", `[\n${A},\n${B}\n]\n`],
    ["application/x-ndjson", "application/x-ndjson", `${A}\n${B}\n`],
    ["application/jsonl, */*", "application/x-ndjson", `${A}\n${B}\n`],
    ["application/json;q=0.5, application/ndjson", "application/x-ndjson", `${A}\n${B}\n`],
    ["text/event-stream", "text/event-stream", `${RETRY}data: ${A}\n\ndata: ${B}\n\nevent: end\ndata: {}\n\n`],
    [
      "text/*, application/json;q=0.1",
      "text/event-stream",
      `${RETRY}data: ${A}\n\ndata: ${B}\n\nevent: end\ndata: {}\n\n`,
    ],
  ])("by Accept: %s is %s", async (accept, type, text) => {
    await start(two);
    expect(await read(accept)).toEqual({ status: 200, type, text, isWhole: true });
  });

  test("without messages is empty, not an error", async () => {
    await start(async function* () {});
    expect(await read("application/json")).toMatchObject({ status: 200, text: "[\n]\n" });
  });

  test("has the headers that are passed back, and its call the deadline of streams", async () => {
    const { headers } = await send(await start(two, { stream: { longestMs: 77 } }), "GET", WATCH);
    expect([headers.get("etag"), headers.get("vary"), library.calls[0]?.timeoutMs]).toEqual(['"1"', "Accept", 77]);
  });

  test("is not compared with what a client has kept", async () => {
    await start(two);
    expect((await send(library, "GET", WATCH, { headers: { "if-none-match": '"1"' } })).status).toBe(200);
  });

  test("whose deadline has passed takes no place", async () => {
    await start(two, { maxStreams: 1 });
    const late = { headers: { "grpc-timeout": "1n" } };
    for (let request = 0; request < 3; request++) expect((await send(library, "GET", WATCH, late)).status).toBe(504);
    expect((await read(undefined)).status).toBe(200);
  });

  test("by HEAD has no body, and its call ends", async () => {
    const { status, headers, text } = await send(await start(two), "HEAD", WATCH);
    expect([status, headers.get("content-type"), text]).toEqual([200, "application/json", ""]);
    expect(library.calls[0]?.signal.aborted).toBe(true);
  });
});

describe("an error", () => {
  test("before the first message decides the status", async () => {
    await start(() => broken(0));
    const { status, text } = await read("text/event-stream");
    expect([status, JSON.parse(text)]).toEqual([500, { code: 15, message: "no more", details: [] }]);
  });

  const error = '{"code":15,"message":"no more","details":[]}';
  test.each([
    ["application/json", `[\n{"title":"0"},\n{"title":"1"},\n{"error":${error}}`],
    ["application/x-ndjson", `{"title":"0"}\n{"title":"1"}\n{"error":${error}}\n`],
    ["text/event-stream", `${RETRY}data: {"title":"0"}\n\ndata: {"title":"1"}\n\nevent: error\ndata: ${error}\n\n`],
  ])("after it is the last record of %s, and the body is cut", async (accept, text) => {
    await start(() => broken(2));
    expect(await read(accept)).toEqual({ status: 200, type: accept, text, isWhole: false });
  });

  test("of a message that is too large, too", async () => {
    const messages = async function* () {
      yield book("a");
      yield book("x".repeat(100));
    };
    await start(messages, { answerLimit: 50 });
    const { text, isWhole } = await read("application/x-ndjson");
    expect([text, isWhole]).toEqual([
      `${A}\n{"error":{"code":13,"message":"the reply is too large","details":[]}}\n`,
      false,
    ]);
  });

  test("is that of the hook", async () => {
    const reply = { status: 418, headers: {}, body: '"own"' };
    await start(() => broken(1), { hooks: { error: () => reply } });
    expect((await read("application/x-ndjson")).text).toBe('{"title":"0"}\n{"error":"own"}\n');
    const hooks = { error: () => Promise.reject(new Error("hook")) };
    await library.close();
    await start(() => broken(1), { hooks });
    expect(await read("application/x-ndjson")).toMatchObject({
      text: '{"title":"0"}\n{"error":null}\n',
      isWhole: false,
    });
  });
});

describe("a stream that waits", () => {
  /** Yields a message, and then waits until its call ends, which is reported. */
  function waiting(ended: () => void) {
    return async function* ({ signal }: Call) {
      yield book("a");
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      ended();
    };
  }

  test.each([
    ["application/json", "\n"],
    ["application/x-ndjson", "\n"],
    ["text/event-stream", ":\n\n"],
  ])("sends a sign of life: %s", async (accept, beat) => {
    await start(
      waiting(() => {}),
      { stream: { heartbeatMs: 5 } },
    );
    const beats = Promise.withResolvers<string>();
    read(accept, (text) => {
      if (text.endsWith(beat.repeat(3))) beats.resolve(text);
    }).catch(() => {});
    expect(await beats.promise).toContain(A);
  });

  test.each(["application/x-ndjson", "application/octet-stream"])(
    "too long is cut, and its call ends: %s",
    async (accept) => {
      const ended = Promise.withResolvers<void>();
      await start(waiting(ended.resolve), { stream: { heartbeatMs: 20, idleMs: 30 } });
      const { text, isWhole } = await read(accept);
      expect(isWhole).toBe(false);
      expect(text).toContain('{"error":{"code":4,"message":"the stream was idle for too long","details":[]}}');
      await ended.promise;
    },
  );

  test("ends its call when the client disconnects, and gives its place to another", async () => {
    const ended = Promise.withResolvers<void>();
    await start(waiting(ended.resolve), { maxStreams: 1 });
    const arrived = Promise.withResolvers<void>();
    const client = request(library.url + WATCH, (response) => response.once("data", () => arrived.resolve()));
    client.on("error", () => {}).end();
    await arrived.promise;
    const refused = await read(undefined);
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([503, "too many streams are open"]);
    client.destroy();
    await ended.promise;
    expect((await send(library, "HEAD", WATCH)).status).toBe(200);
    expect((await send(library, "HEAD", WATCH)).status).toBe(200);
  });
});

describe("a client that does not read", () => {
  test("stops the stream: messages are not collected", async () => {
    let sent = 0;
    const large = "x".repeat(100_000);
    const messages = async function* ({ signal }: Call) {
      for (; sent < 1_000 && !signal.aborted; sent++) yield book(large);
    };
    const responded = Promise.withResolvers<number>();
    await start(messages, {
      stream: { unreadMs: 200 },
      hooks: { responded: (_, status) => responded.resolve(status) },
    });
    const client = request(library.url + WATCH, (response) => response.pause());
    client.on("error", () => {}).end();
    // It is cut for reading nothing for 0.2 s; until then the buffers of both ends have taken some of 100 MB.
    expect(await responded.promise).toBe(200);
    expect(sent).toBeLessThan(200);
    expect(library.calls[0]?.signal.aborted).toBe(true);
    client.destroy();
  });
});

describe("a stream of HttpBody", () => {
  const part = (text: string, contentType = "") => create(HttpBodySchema, { contentType, data: Buffer.from(text) });
  const READ = "/v1/shelves/1/books/2:read";

  test("is the bytes of all, of the type of the first", async () => {
    await start(async function* () {
      yield part("a", "text/plain");
      yield part("");
      yield part("b", "image/png");
    });
    const { headers, text } = await send(library, "GET", READ);
    expect([headers.get("content-type"), headers.get("x-content-type-options"), text]).toEqual([
      "text/plain",
      "nosniff",
      "ab",
    ]);
  });

  test("that is not wanted any more releases what it holds", async () => {
    const released = Promise.withResolvers<void>();
    await start(async function* () {
      try {
        for (;;) yield part("a", "text/plain");
      } finally {
        released.resolve();
      }
    });
    await send(library, "HEAD", READ);
    await released.promise;
  });

  test("that fails is cut without a record", async () => {
    await start(async function* () {
      yield part("a", "text/plain");
      throw new Error("x");
    });
    await expect(send(library, "GET", READ)).rejects.toThrow("terminated");
  });
});

describe("server-sent events", () => {
  const event = (message: Message) => {
    const { title } = message as Message & { title: string };
    if (title === "!") return { name: title };
    return title.startsWith("#") ? { id: title, isMark: true } : title === "" ? { isMark: true } : { id: `${title}\n` };
  };
  const marked = async function* () {
    yield book("#1");
    yield book("a");
    yield book("");
    yield book("!");
  };

  test.each([
    [
      "text/event-stream",
      `${RETRY}id: #1\n\nid: a\ndata: ${A}\n\n:\n\nevent: !\ndata: {"title":"!"}\n\nevent: end\ndata: {}\n\n`,
    ],
    ["application/x-ndjson", `{"title":"#1"}\n${A}\n\n{"title":"!"}\n`],
    ["application/json", `[\n{"title":"#1"},\n${A}\n,\n{"title":"!"}\n]\n`],
  ])("have ids, names, and marks that are no records: %s", async (accept, text) => {
    await start(marked, { stream: { event } });
    expect(await read(accept)).toMatchObject({ text, isWhole: true });
  });

  test.each<[string | undefined, string]>([
    [undefined, "text/event-stream"],
    ["*/*", "text/event-stream"],
    ["text/html", "text/event-stream"],
    ["application/json", "application/json"],
  ])("may be what a client gets that accepts all: %s is %s", async (accept, type) => {
    await start(two, { stream: { format: "text/event-stream" } });
    expect((await read(accept)).type).toBe(type);
  });
});

test("all streams end when the program stops, and new ones are refused", async () => {
  await start(async function* ({ signal }) {
    yield book("a");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  const { text, isWhole } = await read("text/event-stream", (received) => {
    if (received.includes(A)) library.transcoder.endStreams();
  });
  const error = '{"code":14,"message":"the server is stopping","details":[]}';
  expect([text, isWhole]).toEqual([`${RETRY}data: ${A}\n\nevent: error\ndata: ${error}\n\n`, false]);
  expect((await read(undefined)).status).toBe(503);
});
