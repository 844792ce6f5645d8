import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import tls from "node:tls";
import { reasonOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { DEFAULT_LIMITS } from "@cloud/runtime/limits";
import { testTelemetry, waitFor } from "@cloud/testkit";
import { createAuthority, startFaultProxy } from "@cloud/testkit/faults";
import { judgeTime, timed } from "@cloud/testkit/figures";
import { createClient } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createServiceTransport, openTlsFiles } from "../src/index.ts";
import { startAccessServer, TOKEN } from "./start-access-server.ts";
import { writeTlsFolder } from "./tls-folder.ts";

const authority = createAuthority();
const files = () => openTlsFiles(writeTlsFolder({ issuer: authority }), testTelemetry().log);
/** The limit is 10 s, looked after once a second; Node's own limit of a handshake is 120 s. */
const CUT_OFF_MS = 15_000;

let resources: AsyncDisposableStack;
beforeEach(() => {
  resources = new AsyncDisposableStack();
});
afterEach(() => resources.disposeAsync());

function clientOf(port: number, deadlineMs?: number) {
  const url = `https://localhost:${port}`;
  const transport = createServiceTransport({
    url,
    serviceToken: TOKEN,
    tls: files(),
    ...(deadlineMs && { deadlineMs, silentMs: 4_000 }),
  });
  resources.defer(async () => transport.close());
  return createClient(AccessService, transport);
}

async function startServer(limits = DEFAULT_LIMITS) {
  const server = await startAccessServer(() => ({ allowed: true }), { tls: files(), limits });
  resources.defer(() => server.stop());
  return server;
}

/** Connects without TLS. */
async function open(port: number): Promise<Socket> {
  const socket = net.connect({ port, host: "127.0.0.1", noDelay: true }).on("error", () => undefined);
  resources.defer(async () => void socket.destroy());
  await once(socket, "connect");
  return socket.resume();
}

/** Resolves also after a reset, which is how a server closes a connection that has sent more. */
const closed = (socket: Socket) =>
  socket.closed ? undefined : new Promise<void>((resolve) => socket.once("close", () => resolve()));

/** Returns the first flight of a handshake. */
async function clientHello(): Promise<Buffer> {
  const server = net.createServer().listen(0, "127.0.0.1");
  resources.defer(async () => void server.close());
  await once(server, "listening");
  const client = tls.connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  client.on("error", () => undefined);
  const [accepted] = (await once(server, "connection")) as [Socket];
  const [hello] = (await once(accepted, "data")) as [Buffer];
  client.destroy();
  accepted.destroy();
  return hello;
}

test(
  "a handshake that does not finish is cut off in time, and others are served meanwhile",
  async () => {
    const server = await startServer();
    const hello = await clientHello();
    const silent = await open(server.port);
    const half = await open(server.port);
    half.write(hello.subarray(0, hello.length / 2));
    const stuck = await open(server.port); // its client does not reply to the server's part
    stuck.write(hello);
    const dripping = await open(server.port);
    let sent = 0;
    const drip = setInterval(() => dripping.write(hello.subarray(sent, ++sent)), 250);
    resources.defer(async () => clearInterval(drip));
    // HTTP/1.1 without a request, after a complete handshake.
    const idle = tls.connect({ port: server.port, host: "localhost", ca: authority.certificate, ...client() });
    resources.defer(async () => void idle.destroy());
    await once(idle.on("error", () => undefined).resume(), "secureConnect");

    const cutOff = await timed(async () => {
      expect(await clientOf(server.port).checkAccess({})).toMatchObject({ allowed: true });
      await Promise.all([silent, half, stuck, dripping, idle].map(closed));
    });
    judgeTime({ what: "tls: the last unfinished handshake is cut off", limitMs: CUT_OFF_MS, ...cutOff });
  },
  6 * CUT_OFF_MS,
);

test("connections whose handshake is not finished count for the limits, and no longer once they are closed", async () => {
  const server = await startServer({ ...DEFAULT_LIMITS, maxConnectionsPerAddress: 2 });
  const held = [await open(server.port), await open(server.port)];
  await closed(await open(server.port));
  expect(held.map(({ closed }) => closed)).toEqual([false, false]);
  for (const socket of held) socket.destroy();
  const client = clientOf(server.port);
  const served = () =>
    client.checkAccess({}).then(
      () => true,
      () => undefined,
    );
  expect(await waitFor(served, { deadlineMs: 20_000 })).toBe(true);
});

test("connections that were encrypted no longer count once they are closed", async () => {
  const server = await startServer({ ...DEFAULT_LIMITS, maxConnectionsPerAddress: 2 });
  for (let index = 0; index < 10; index++) {
    const served = async () => {
      const socket = tls.connect({ port: server.port, host: "localhost", ca: authority.certificate, ...client() });
      const secure = await once(socket, "secureConnect").then(
        () => true,
        () => undefined,
      );
      socket.destroy();
      return secure;
    };
    await waitFor(served, { deadlineMs: 20_000 });
  }
});

test("a stop waits a second for an unfinished handshake, not for its limit", async () => {
  const server = await startAccessServer(() => ({ allowed: true }), { tls: files() });
  const sockets = [await open(server.port), await open(server.port)];
  sockets[1]?.write((await clientHello()).subarray(0, 100));
  const idle = tls.connect({ port: server.port, host: "localhost", ca: authority.certificate, ...client() });
  await once(idle.on("error", () => undefined).resume(), "secureConnect");
  const began = performance.now();
  await server.stop();
  // A stop that waits for the limit of a handshake, 10 s since it began, takes little less on any machine.
  expect(performance.now() - began).toBeLessThan(5_000);
});

test("a peer that does not reply to the handshake is reported after 2 s, long before the deadline", async () => {
  const mute = net.createServer((socket) => void socket.on("error", () => undefined).resume()).listen(0, "127.0.0.1");
  resources.defer(async () => void mute.close());
  await once(mute, "listening");
  const client = clientOf((mute.address() as AddressInfo).port, 30_000);
  const reported = await timed(async () => {
    expect(await client.checkAccess({}).catch(reasonOf)).toBe(Reason.UNAVAILABLE);
  });
  judgeTime({ what: "tls: a peer without a handshake is reported", limitMs: 5_000, ...reported });
}, 60_000);

test("a peer that falls silent over TLS is reported after 4 s, long before the deadline, and used again after it", async () => {
  const server = await startServer();
  const proxy = await startFaultProxy({ host: "127.0.0.1", port: server.port });
  resources.defer(() => proxy.stop());
  const client = clientOf(proxy.port, 30_000);
  await client.checkAccess({});
  const reported = await timed(async () => {
    proxy.blackHole();
    expect(await client.checkAccess({}).catch(reasonOf)).toBe(Reason.UNAVAILABLE);
  });
  judgeTime({ what: "tls: a peer that falls silent is reported", limitMs: 7_000, ...reported });
  proxy.heal();
  expect(await client.checkAccess({})).toMatchObject({ allowed: true });
}, 90_000);

/** The certificate that the server demands. */
function client() {
  const { certificate: cert, key } = authority.issue("client");
  return { cert, key };
}
