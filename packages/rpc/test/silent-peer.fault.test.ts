import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { create } from "@bufbuild/protobuf";
import { Health, HealthCheckRequestSchema } from "@cloud/proto/grpc/health/v1/health_pb";
import { judgeTime, timed } from "@cloud/testkit/figures";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createServiceTransport } from "../src/index.ts";

const LISTEN = "require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {";
const PRINT_PORT = "process.stdout.write(String(this.address().port)) })";

let peer: ChildProcess;
let port: number;
const queued: Socket[] = [];

/** A peer whose host drops the packets of new connections: its process is frozen, and its accept queue full. */
beforeEach(async () => {
  peer = spawn(process.execPath, ["-e", LISTEN + PRINT_PORT]);
  const [printed] = (await once(peer.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  port = Number(printed);
  peer.kill("SIGSTOP");
  for (let connected = true; connected; ) {
    const socket = net.connect(port, "127.0.0.1").on("error", () => undefined);
    queued.push(socket);
    const late = AbortSignal.timeout(300);
    connected = await once(socket, "connect", { signal: late }).then(
      () => true,
      () => false,
    );
  }
});

afterEach(() => {
  for (const socket of queued) socket.destroy();
  peer.kill("SIGKILL");
});

test("a peer that cannot be connected to is reported after 2 s, long before the deadline", async () => {
  const transport = createServiceTransport({ url: `http://127.0.0.1:${port}`, deadlineMs: 10_000 });
  const request = create(HealthCheckRequestSchema);
  const call = () =>
    transport
      .unary(Health.method.check, undefined, undefined, undefined, request)
      .catch((error: unknown) => ConnectError.from(error).code);
  const reported = await timed(async () => {
    const outcomes = await Promise.all([call(), call(), call()]);
    // At the deadline it would be DeadlineExceeded.
    expect(outcomes).toEqual([Code.Unavailable, Code.Unavailable, Code.Unavailable]);
  });
  judgeTime({ what: "silent-peer: reported", limitMs: 3_500, ...reported });
  transport.close();
});

test("a call waiting for a connection fails immediately when this side closes it", async () => {
  const transport = createServiceTransport({ url: `http://127.0.0.1:${port}`, deadlineMs: 10_000 });
  const request = create(HealthCheckRequestSchema);
  const call = transport.unary(Health.method.check, undefined, undefined, undefined, request);
  const outcome = call.catch((error: unknown) => ConnectError.from(error));
  await new Promise((resolve) => setImmediate(resolve)); // start connecting
  transport.close();
  expect(await outcome).toMatchObject({ code: Code.Unavailable, rawMessage: "closed here" });
});

test("a peer that takes a call and sends nothing is reported as unavailable after 4 s, before the deadline", async () => {
  await using resources = new AsyncDisposableStack();
  // Replies to the first exchange of each connection only.
  const mute = net.createServer((socket) =>
    socket
      .on("error", () => undefined)
      .once("data", () => socket.write("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")),
  );
  mute.listen(0, "127.0.0.1");
  resources.defer(async () => void mute.close());
  await once(mute, "listening");
  const url = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
  const transport = createServiceTransport({ url, deadlineMs: 30_000, silentMs: 4_000 });
  resources.defer(async () => transport.close());
  const request = create(HealthCheckRequestSchema);
  const call = transport.unary(Health.method.check, undefined, undefined, undefined, request);
  const reported = await timed(async () => {
    // At the deadline it would be DeadlineExceeded.
    expect(await call.catch((error: unknown) => ConnectError.from(error).code)).toBe(Code.Unavailable);
  });
  judgeTime({ what: "silent-peer: falls silent", limitMs: 7_000, ...reported });
}, 60_000);
