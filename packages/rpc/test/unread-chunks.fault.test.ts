import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { type Program, startProgram, takeStablePort, waitFor, without } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
/** A frame of data for stream 0, which ends the session (RFC 9113, 6.1). */
const FATAL_FRAME = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0]);
/** After so many connections of one address, the next ones wait for two seconds before they begin. */
const WAITING = 416;
const LAST = 4;

/** Passes a new session what was read as it was read. */
const JOIN = {
  file: "packages/rpc/src/server/join-unread.ts",
  find: "if (unread.length > 0) socket.unshift(unread);",
  replace: "for (const byte of unread.reverse()) socket.unshift(Buffer.of(byte));",
};
/** Takes one chunk per event. */
const READ_ALL = {
  file: "packages/rpc/src/server/read-protocol.ts",
  find: "readReceived(socket)]",
  replace: "(socket.read() as Buffer | null) ?? Buffer.alloc(0)]",
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

async function open(port: number, bytes: Buffer): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true }).on("error", () => undefined);
  resources.push(() => socket.destroy());
  socket.write(bytes);
  await once(socket, "connect");
  return socket.resume();
}

async function requestFrom(localAddress: string, port: number): Promise<void> {
  const [response] = (await once(get({ host: "127.0.0.1", port, localAddress, agent: false }), "response")) as [
    IncomingMessage,
  ];
  await once(response.resume(), "end");
}

/** Opens connections that wait for their turn, and sends two parts on each, which the server reads one after the other. */
async function openWaiting({ port }: Program, first: Buffer, second: Buffer): Promise<Socket[]> {
  const idle = Array.from({ length: WAITING }, () => open(port, Buffer.alloc(0)));
  const waiting = Array.from({ length: LAST }, () => open(port, first));
  await Promise.all(idle);
  const sockets = await Promise.all(waiting);
  // Connections are accepted in their order: when a later one of another address has its replies, the first parts are read.
  for (let request = 0; request < 2; request++) await requestFrom("127.0.0.2", port);
  for (const socket of sockets) socket.write(second);
  return sockets;
}

/** Sends an end of the session and more after it. */
async function attack(program: Program): Promise<void> {
  const sockets = await openWaiting(program, Buffer.concat([PREFACE, FATAL_FRAME]), FATAL_FRAME);
  await Promise.all(sockets.map((socket) => (socket.closed ? undefined : once(socket, "close"))));
}

/** Sends a preface in two parts, and returns whether each connection received anything before it was closed. */
async function greet(program: Program): Promise<boolean[]> {
  const sockets = await openWaiting(
    program,
    PREFACE.subarray(0, 7),
    Buffer.concat([PREFACE.subarray(7), EMPTY_SETTINGS]),
  );
  const isServed = async (socket: Socket) =>
    await Promise.race([once(socket, "data").then(() => true), once(socket, "close").then(() => false)]);
  return await Promise.all(sockets.map(isServed));
}

test("a session that ends at what was read before it began ends nothing else", async () => {
  const program = await startServer();
  await attack(program);
  expect((await fetch(program.url)).status).toBe(404);
  expect(program.crashes()).toBe(0);
});

test("control: in several chunks it ends the process", async () => {
  const program = await startServer(without([JOIN]));
  await attack(program);
  expect(await waitFor(() => program.crashes() || undefined, { deadlineMs: 20_000 })).toBe(1);
});

test("a preface that was received in two parts before its turn is read whole", async () => {
  const program = await startServer();
  expect(await greet(program)).toEqual(Array.from({ length: LAST }, () => true));
});

test("control: a chunk per event leaves the second part unread, and the connection is dropped", async () => {
  const program = await startServer(without([READ_ALL]));
  expect(await greet(program)).toContain(false);
});
