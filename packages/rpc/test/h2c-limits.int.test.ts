import { once } from "node:events";
import http2, { type ClientHttp2Session, type ClientHttp2Stream, constants, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { DEFAULT_LIMITS } from "@cloud/program";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@cloud/proto/grpc/health/v1/health_pb";
import { ServerReflection } from "@cloud/proto/grpc/reflection/v1/reflection_pb";
import { waitFor } from "@cloud/testkit";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterEach, expect, test } from "@jest/globals";
import { endStuckStreams } from "../src/server/end-stuck-streams.ts";
import { H2C_LIMITS } from "../src/server/h2c-limits.ts";
import type { NodeHandler } from "../src/server/listen-one-port.ts";
import { createTurns } from "../src/server/turns.ts";
import { resetRequests } from "./raw-http2.ts";
import { startAccessServer } from "./start-access-server.ts";

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

async function startServer(options: Parameters<typeof startAccessServer>[1] = {}) {
  const server = await startAccessServer(() => ({ allowed: true }), options);
  resources.push(() => server.stop());
  return server;
}

function connectTo(url: string, settings: http2.Settings = {}): ClientHttp2Session {
  const session = http2.connect(url, { settings }).on("error", () => undefined);
  resources.push(() => session.destroy());
  return session;
}

/** Starts a bare HTTP/2 server that replies with 1 MB, with or without the limit of time. */
async function startBare(limit: boolean): Promise<string> {
  const server = http2.createServer().listen(0, "127.0.0.1");
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => undefined);
    stream.respond({ ":status": 200 });
    stream.on("end", () => stream.end(Buffer.alloc(2 ** 20))).resume();
  });
  const sweep = limit ? endStuckStreams(server, { requestMs: 100, replyMs: 100 }) : undefined;
  await once(server, "listening");
  resources.push(() => {
    sweep?.stop();
    server.close();
  });
  return "http://127.0.0.1:" + (server.address() as AddressInfo).port;
}

test("a connection may have 100 streams and 16 KiB of headers", async () => {
  const { url } = await startServer();
  const session = connectTo(url);
  await once(session, "remoteSettings");
  expect(session.remoteSettings).toMatchObject({ maxConcurrentStreams: 100, maxHeaderListSize: 16_384 });
});

test.each([
  { what: "whose body never comes", settings: {}, finish: false },
  { what: "whose reply is not taken", settings: { initialWindowSize: 0 }, finish: true },
])("a stream $what is reset in time; control: Node alone keeps it", async ({ settings, finish }) => {
  const [limited, unlimited] = (await Promise.all([startBare(true), startBare(false)])).map((url) => {
    const stream = connectTo(url, settings).request({ ":method": "POST" }, { endStream: false });
    stream.on("error", () => undefined);
    if (finish) stream.end();
    return stream;
  });
  const closed = once(limited as NonNullable<typeof limited>, "close");
  await Promise.all([limited, unlimited].map((stream) => once(stream as NonNullable<typeof stream>, "response")));
  await closed;
  expect(limited?.rstCode).toBe(constants.NGHTTP2_CANCEL);
  expect(unlimited?.closed).toBe(false);
});

test.each([
  { what: "ends a connection", options: H2C_LIMITS, ended: true },
  { what: "control: Node alone allows 1,000", options: {}, ended: false },
])("a flood of 900 resets: $what", async ({ options, ended }) => {
  const server = http2.createServer(options).listen(0, "127.0.0.1");
  server.on("stream", (stream) => stream.on("error", () => undefined));
  server.on("sessionError", () => undefined);
  await once(server, "listening");
  resources.push(() => server.close());
  const session = connectTo("http://127.0.0.1:" + (server.address() as AddressInfo).port);
  await once(session, "remoteSettings");
  const goaway = once(session, "goaway").then(([code]) => code as number);
  for (let index = 0; index < 900 && !session.closed; index++) {
    const stream = session.request({ ":method": "POST" }).on("error", () => undefined);
    stream.close(constants.NGHTTP2_CANCEL);
    if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const ping = (resolve: (outcome: string) => void) => session.destroyed || session.ping(() => resolve("open"));
  const replied = new Promise<string>(ping);
  const outcome = await Promise.race([goaway, replied]);
  expect(outcome).toBe(ended ? constants.NGHTTP2_INTERNAL_ERROR : "open"); // the code that nghttp2 chooses
});

/** Returns how many of 101 requests a server has begun when it begins the last, the others being reset at once. */
async function countBegun(begin: (handler: NodeHandler) => NodeHandler): Promise<number> {
  let begun = 0;
  const last = Promise.withResolvers<number>();
  const handler: NodeHandler = (request) => {
    begun++;
    if ("stream" in request && request.stream.id === 201) last.resolve(begun);
  };
  const server = http2.createServer(begin(handler)).listen(0, "127.0.0.1");
  await once(server, "listening");
  resources.push(() => server.close());
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
  resources.push(() => client.destroy());
  client.write(resetRequests(100));
  return await last.promise;
}

test("a request that is reset at once is not begun; control: Node alone begins each", async () => {
  expect(await countBegun(createTurns().begin)).toBe(1);
  expect(await countBegun((handler) => handler)).toBe(101);
});

test("the 101st watch is UNIMPLEMENTED, so that its client trusts the server; when one ends, there is room again", async () => {
  const { url } = await startServer();
  // A connection has 100 streams, so that the last one needs another.
  const connectHealth = () => createClient(Health, createGrpcTransport({ baseUrl: url }));
  const [health, other] = [connectHealth(), connectHealth()];
  const watch = (on = health) => {
    const leave = new AbortController();
    resources.push(() => leave.abort());
    const updates = on.watch({}, { signal: leave.signal })[Symbol.asyncIterator]();
    return { first: () => updates.next().then((next) => next.value?.status), leave: () => leave.abort(), updates };
  };
  const watches = Array.from({ length: 100 }, () => watch());
  expect(new Set(await Promise.all(watches.map(({ first }) => first())))).toEqual(new Set([Status.SERVING]));
  const refused = await watch(other)
    .first()
    .catch((error: unknown) => ConnectError.from(error));
  expect(refused).toMatchObject({ code: Code.Unimplemented, rawMessage: "too many watches" });

  watches[0]?.leave();
  let status: Status | undefined;
  while (status === undefined)
    status = await watch(other)
      .first()
      .catch(() => undefined);
  expect(status).toBe(Status.SERVING);
});

/** Resolves also when the stream is reset, which is an error to `once`. */
const closed = (stream: ClientHttp2Stream) =>
  new Promise<undefined>((resolve) => stream.once("close", () => resolve(undefined)));

/** As gRPC sends it. */
const EMPTY_MESSAGE = Buffer.alloc(5);

test("of 17 streams of reflection the last is refused as not processed; when one ends, there is room again", async () => {
  const { url } = await startServer();
  const session = connectTo(url);
  const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  const open = () =>
    session
      .request({ ":method": "POST", ":path": path, "content-type": "application/grpc" }, { endStream: false })
      .on("error", () => undefined);
  const streams = Array.from({ length: 16 }, open);
  const refused = open();
  await closed(refused);
  expect(refused.rstCode).toBe(constants.NGHTTP2_REFUSED_STREAM);

  const [first] = streams;
  first?.close(constants.NGHTTP2_CANCEL);
  const ask = async () => {
    const stream = open();
    const replied = new Promise<true>((resolve) => stream.end(EMPTY_MESSAGE).once("response", () => resolve(true)));
    return await Promise.race([closed(stream), replied]);
  };
  await expect(waitFor(ask, { deadlineMs: 30_000 })).resolves.toBeDefined();
});

test("a stream of reflection may ask 100 times", async () => {
  const { url } = await startServer();
  const reflection = createClient(ServerReflection, createGrpcTransport({ baseUrl: url }));
  async function* ask() {
    for (;;) yield { messageRequest: { case: "listServices" as const, value: "" } };
  }
  let answers = 0;
  const asking = async () => {
    for await (const _ of reflection.serverReflectionInfo(ask())) answers++;
  };
  await expect(asking()).rejects.toMatchObject({ code: Code.ResourceExhausted });
  expect(answers).toBe(100);
});

test("an address may have as many connections as configured; when one ends, there is room again", async () => {
  const { port } = await startServer({ limits: { ...DEFAULT_LIMITS, maxConnectionsPerAddress: 2 } });
  const open = async () => {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    resources.push(() => socket.destroy());
    socket.write("GET /x HTTP/1.1\r\nhost: a\r\n\r\n");
    // Not by `once` of node:events, which rejects if the end is a reset.
    const outcome = await new Promise<string>((resolve) => {
      socket.once("data", () => resolve("served")).once("close", () => resolve("closed"));
    });
    return { socket, outcome };
  };
  const first = await open();
  const outcomes = [first.outcome, (await open()).outcome, (await open()).outcome];
  expect(outcomes).toEqual(["served", "served", "closed"]);
  first.socket.destroy();
  let again = await open();
  while (again.outcome === "closed") again = await open();
  expect(again.outcome).toBe("served");
});
