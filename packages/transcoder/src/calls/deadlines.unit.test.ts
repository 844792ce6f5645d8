import { createServer, type RequestListener } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { create, type Message } from "@bufbuild/protobuf";
import { type ConnectRouter, createRouterTransport, type Transport } from "@connectrpc/connect";
import {
  connectNodeAdapter,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { BookSchema, LibraryService } from "../../test/gen/library/v1/library_pb.ts";
import { overrides } from "../../test/overrides.ts";
import { createLibrary } from "../../test/serve-library.ts";
import { createTranscoder } from "../create-transcoder.ts";

const BOOK = "https://x.example/v1/shelves/1/books/2";
const WATCH = "https://x.example/v1/watched";
const watched = overrides({ WatchBooks: { get: "/v1/watched" } });

describe("what is left of a client's time is passed on by", () => {
  const given: (number | undefined)[] = [];
  const routes = (router: ConnectRouter) =>
    router.service(LibraryService, {
      getBook: (_, { timeoutMs }) => {
        given.push(timeoutMs());
        return {};
      },
      async *watchBooks(_, { timeoutMs }) {
        given.push(timeoutMs());
        yield create(BookSchema);
      },
    });
  const servers: Server[] = [];
  let [http1, http2] = ["", ""];
  const listen = async (server: Server) => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  beforeAll(async () => {
    const adapter = connectNodeAdapter({ routes });
    http1 = await listen(createServer(adapter as RequestListener));
    http2 = await listen(createHttp2Server(adapter));
  });
  afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))));

  const NO_IDLE = { idleConnectionTimeoutMs: 1 };
  const TRANSPORTS: [string, () => Transport][] = [
    ["Connect over HTTP/1.1", () => createConnectTransport({ baseUrl: http1, httpVersion: "1.1" })],
    ["Connect over HTTP/2", () => createConnectTransport({ baseUrl: http2, httpVersion: "2", ...NO_IDLE })],
    ["gRPC", () => createGrpcTransport({ baseUrl: http2, ...NO_IDLE })],
    ["gRPC-Web over HTTP/1.1", () => createGrpcWebTransport({ baseUrl: http1, httpVersion: "1.1" })],
    ["gRPC-Web over HTTP/2", () => createGrpcWebTransport({ baseUrl: http2, httpVersion: "2", ...NO_IDLE })],
    ["a router", () => createRouterTransport(routes)],
  ];
  const HEADERS = [
    { "grpc-timeout": "30S" },
    { "connect-timeout-ms": "30000" },
    { "grpc-timeout": "29999999u", "connect-timeout-ms": "50000" },
    { "connect-timeout-ms": "86400000" },
    {},
  ];
  const cases = TRANSPORTS.flatMap(([name, open]) => HEADERS.map((headers) => ({ name, open, headers })));

  test.each(cases)("$name: $headers", async ({ open, headers }) => {
    given.length = 0;
    const { fetch: handle } = createTranscoder({
      services: [{ service: LibraryService, transport: open() }],
      deadlineMs: 40_000.7,
      stream: { longestMs: 40_000.7 },
      ...watched,
    });
    for (const url of [BOOK, WATCH]) {
      const response = await handle(new Request(url, { headers }));
      expect([response.status, await response.text()]).toEqual([200, expect.stringMatching(/^[{[]/)]);
    }
    expect(given).toEqual([expect.any(Number), expect.any(Number)]);
  });
});

describe("a transport that ignores its timeout and its signal", () => {
  let reject: (error: Error) => void;
  const unhandled = jest.fn();
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ["queueMicrotask"] });
    process.on("unhandledRejection", unhandled);
  });
  afterEach(() => {
    jest.useRealTimers();
    process.off("unhandledRejection", unhandled);
    unhandled.mockClear();
  });
  const never = () =>
    new Promise<never>((_, fail) => {
      reject = fail;
    });
  const turn = () =>
    new Promise((resolve) => jest.requireActual<typeof import("node:timers")>("node:timers").setImmediate(resolve));

  test.each([
    ["the deadline", {}, 10_000],
    ["what the client gives", { "connect-timeout-ms": "1500" }, 1_500],
  ])("is left after %s with 504, and what it settles with later is dropped", async (_name, headers, ms) => {
    const { transcoder, calls } = createLibrary(never);
    const response = transcoder.fetch(new Request(BOOK, { headers }));
    const replied = jest.fn();
    response.then(replied, replied);
    await jest.advanceTimersByTimeAsync(ms - 1);
    expect(replied).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(replied).toHaveBeenCalled();
    expect((await response).status).toBe(504);
    expect(await (await response).json()).toMatchObject({ code: 4 });
    expect([calls[0]?.timeoutMs, calls[0]?.signal.aborted, jest.getTimerCount()]).toEqual([ms, true, 0]);
    reject(new Error("late"));
    jest.useRealTimers();
    await turn();
    expect(unhandled).not.toHaveBeenCalled();
  });

  test("is left before the first message of a stream, too", async () => {
    const { transcoder } = createLibrary(never, { ...watched, stream: { longestMs: 60_000 }, maxStreams: 1 });
    for (let time = 0; time < 2; time++) {
      const response = transcoder.fetch(new Request(WATCH));
      await jest.advanceTimersByTimeAsync(60_000);
      expect([(await response).status, jest.getTimerCount()]).toEqual([504, 0]);
      reject(new Error("late"));
    }
    jest.useRealTimers();
    await turn();
    expect(unhandled).not.toHaveBeenCalled();
  });

  test("is left in the middle of a stream, whose last record says so", async () => {
    const behave = async () => ({ messages: oneThenNothing() });
    const { transcoder, calls } = createLibrary(behave, { ...watched, stream: { longestMs: 60_000, unreadMs: 1e9 } });
    const headers = { accept: "application/x-ndjson" };
    const response = await transcoder.fetch(new Request(WATCH, { headers }));
    const text = readCut(response);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(
      (await text)
        .trim()
        .split(/\n+/)
        .map((line) => JSON.parse(line)),
    ).toEqual([{ title: "a" }, { error: { code: 4, message: "the deadline has passed", details: [] } }]);
    expect([calls[0]?.signal.aborted, jest.getTimerCount()]).toEqual([true, 0]);
  });
});

test("a reply in time leaves no timer", async () => {
  jest.useFakeTimers({ doNotFake: ["queueMicrotask"] });
  try {
    const { transcoder } = createLibrary(async () => ({}), watched);
    expect((await transcoder.fetch(new Request(BOOK))).status).toBe(200);
    expect(await (await transcoder.fetch(new Request(WATCH))).text()).toBe("[\n]\n");
    const failing = createLibrary(() => Promise.reject(new Error("down"))).transcoder;
    expect((await failing.fetch(new Request(BOOK))).status).toBe(500);
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

async function* oneThenNothing(): AsyncGenerator<Message> {
  yield create(BookSchema, { title: "a" });
  await new Promise(() => {});
}

/** Reads a body that is cut after its last record. */
async function readCut(response: Response): Promise<string> {
  let text = "";
  try {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  } catch {
    // Cut.
  }
  return text;
}
