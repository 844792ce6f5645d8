import { request } from "node:http";
import type { Message } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { afterEach, describe, expect, test } from "@jest/globals";
import { HttpBodySchema } from "../../test/gen/google/api/httpbody_pb.ts";
import { A, book, RETRY, readStream, twoBooks, WATCH } from "../../test/read-stream.ts";
import { type Call, type Library, send, serveLibrary } from "../../test/serve-library.ts";
import type { TranscoderOptions } from "../transcoder-options.ts";

let library: Library;
afterEach(() => library.close());

async function start(
  messages: (call: Call) => AsyncIterable<Message>,
  options: Partial<TranscoderOptions> = {},
): Promise<Library> {
  library = await serveLibrary(async (call) => ({ messages: messages(call), headers: { etag: '"1"' } }), options);
  return library;
}

const read = (accept: string | undefined, onData?: (text: string) => void) => readStream(library.url, accept, onData);

describe("a stream", () => {
  test("without messages is empty, not an error", async () => {
    await start(async function* () {});
    expect(await read("application/json")).toMatchObject({ status: 200, text: "[\n]\n" });
  });

  test("has the headers that are passed back, and its call the deadline of streams", async () => {
    const { headers } = await send(await start(twoBooks, { stream: { longestMs: 77 } }), "GET", WATCH);
    expect([headers.get("etag"), headers.get("vary"), library.calls[0]?.timeoutMs]).toEqual(['"1"', "Accept", 77]);
  });

  test("is not compared with what a client has kept", async () => {
    await start(twoBooks);
    expect((await send(library, "GET", WATCH, { headers: { "if-none-match": '"1"' } })).status).toBe(200);
  });

  test("whose deadline has passed takes no place", async () => {
    await start(twoBooks, { maxStreams: 1 });
    const late = { headers: { "grpc-timeout": "1n" } };
    for (let request = 0; request < 3; request++) expect((await send(library, "GET", WATCH, late)).status).toBe(504);
    expect((await read(undefined)).status).toBe(200);
  });

  test("by HEAD has no body, and its call ends", async () => {
    const { status, headers, text } = await send(await start(twoBooks), "HEAD", WATCH);
    expect([status, headers.get("content-type"), text]).toEqual([200, "application/json", ""]);
    expect(library.calls[0]?.signal.aborted).toBe(true);
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
