import { once } from "node:events";
import http2, { type ClientHttp2Session } from "node:http2";
import { connect } from "node:net";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@cloud/proto/grpc/health/v1/health_pb";
import { ServerReflection } from "@cloud/proto/grpc/reflection/v1/reflection_pb";
import { DEFAULT_LIMITS } from "@cloud/runtime/limits";
import { waitFor } from "@cloud/testkit";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterEach, expect, test } from "@jest/globals";
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

function connectTo(url: string): ClientHttp2Session {
  const session = http2.connect(url).on("error", () => undefined);
  resources.push(() => session.destroy());
  return session;
}

test("a connection may have 100 streams and 16 KiB of headers", async () => {
  const { url } = await startServer();
  const session = connectTo(url);
  await once(session, "remoteSettings");
  expect(session.remoteSettings).toMatchObject({ maxConcurrentStreams: 100, maxHeaderListSize: 16_384 });
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
  expect(refused).toMatchObject({ code: Code.Unimplemented, rawMessage: "too many streams" });

  watches[0]?.leave();
  let status: Status | undefined;
  while (status === undefined)
    status = await watch(other)
      .first()
      .catch(() => undefined);
  expect(status).toBe(Status.SERVING);
});

test("of 17 streams of reflection the last is refused; when one ends, there is room again", async () => {
  const { url } = await startServer();
  const reflection = createClient(ServerReflection, createGrpcTransport({ baseUrl: url }));
  const open = async () => {
    const leave = new AbortController();
    resources.push(() => leave.abort());
    const asking = Promise.withResolvers<void>();
    async function* ask() {
      yield { messageRequest: { case: "listServices" as const, value: "" } };
      await asking.promise;
    }
    const answers = reflection.serverReflectionInfo(ask(), { signal: leave.signal })[Symbol.asyncIterator]();
    const outcome = await answers.next().then(
      () => "answered",
      (error: unknown) => Code[ConnectError.from(error).code],
    );
    return { outcome, end: asking.resolve, leave: () => leave.abort() };
  };
  const streams = await Promise.all(Array.from({ length: 16 }, open));
  expect(streams.map(({ outcome }) => outcome)).toEqual(Array(16).fill("answered"));
  expect((await open()).outcome).toBe("ResourceExhausted");

  const answered = async () => ((await open()).outcome === "answered" ? true : undefined);
  streams[0]?.leave();
  expect(await waitFor(answered, { deadlineMs: 30_000 })).toBe(true);
  streams[1]?.end();
  expect(await waitFor(answered, { deadlineMs: 30_000 })).toBe(true);
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
