import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Program, startProgram, takeStablePort, waitFor, without } from "@cloud/testkit";
import { calibrated, judgeTime } from "@cloud/testkit/figures";
import { afterEach, expect, test } from "@jest/globals";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const POST = Buffer.from("POST / HTTP/1.1\r\nhost: a\r\n");
const GET = Buffer.from("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
/** The limit is 10 s, looked after once a second; Node's own are 60 s and more. */
const CUT_OFF_MS = 15_000;

/** Puts the bytes back and waits for more, as `once("readable")` did: that wakes the reader at once. */
const BUFFER = {
  marker: "first-bytes",
  instead: `if (isHttp2 && head.length < HTTP2_PREFACE.length) {
    socket.unshift(head);
    head = Buffer.alloc(0);
    socket.off("readable", read).on("readable", read);
    return;
  }`,
};

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

async function startServer({ preload = [], env = {} }: Partial<ReturnType<typeof without>> = {}): Promise<Program> {
  const main = fileURLToPath(new URL("first-bytes/program.ts", import.meta.url));
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const program = await startProgram({ name: "rpc", main, port, operatorPort, env, preload });
  resources.push(program.close);
  return program;
}

/** Connects and sends the bytes one by one. */
async function send({ port }: Program, bytes: Buffer): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true }).on("error", () => undefined);
  resources.push(() => socket.destroy());
  await once(socket, "connect");
  for (const byte of bytes) {
    socket.write(Buffer.of(byte));
    await setImmediate();
  }
  return socket;
}

const prefixesOf = (bytes: Buffer) => Array.from(bytes, (_, index) => bytes.subarray(0, index + 1));

async function cpuSeconds({ operatorUrl }: Program): Promise<number> {
  const metrics = await (await fetch(operatorUrl + "/metrics")).text();
  return Number(/^process_cpu_seconds_total\S* (\S+)/m.exec(metrics)?.[1]);
}

test(
  "every beginning of a connection that is held costs nothing, and is cut off in time",
  async () => {
    const program = await startServer();
    // Behind its preface, an HTTP/2 connection may be idle until its maximum age.
    const beginnings = [Buffer.alloc(0), ...prefixesOf(PREFACE.subarray(0, -1)), ...prefixesOf(POST)];
    const sockets = await Promise.all(beginnings.map((bytes) => send(program, bytes)));
    const { ms, cpuMs, factor } = await calibrated(async () => {
      const [began, used] = [performance.now(), await cpuSeconds(program)];
      await Promise.all(sockets.map((socket) => (socket.closed ? undefined : once(socket.resume(), "close"))));
      return { ms: performance.now() - began, cpuMs: 1000 * ((await cpuSeconds(program)) - used) };
    });
    judgeTime(
      { what: "first-bytes: the last beginning is cut off", measuredMs: ms, limitMs: CUT_OFF_MS, factor },
      // A process that spins uses 10 s.
      { what: "first-bytes: CPU meanwhile", measuredMs: cpuMs, limitMs: 3_000, factor },
    );
  },
  6 * CUT_OFF_MS,
);

test("control: put back, one byte blocks the process", async () => {
  const program = await startServer(without([BUFFER]));
  await send(program, PREFACE.subarray(0, 1));
  const blocked = () =>
    fetch(program.operatorUrl + "/healthz", { signal: AbortSignal.timeout(2_000) }).then(
      () => undefined, // it may be served before the byte is read
      (error: Error) => error.name,
    );
  expect(await waitFor(blocked, { deadlineMs: 20_000 })).toBe("TimeoutError");
  await program.kill(); // it does not receive SIGTERM either
});

test("a beginning in two parts, cut anywhere, is served", async () => {
  const program = await startServer();
  const reply = async (bytes: Buffer, cut: number): Promise<Buffer> => {
    const socket = await send(program, bytes.subarray(0, cut));
    socket.write(bytes.subarray(cut));
    const [first] = (await once(socket, "data")) as [Buffer];
    return first;
  };
  const http2 = Buffer.concat([PREFACE, EMPTY_SETTINGS]);
  for (let cut = 1; cut < PREFACE.length; cut++) {
    expect((await reply(http2, cut)).readUInt8(3)).toBe(4); // a SETTINGS frame
    expect((await reply(GET, cut)).toString()).toMatch(/^HTTP\/1\.1 404 /);
  }
});
