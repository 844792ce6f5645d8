import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { waitFor } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";
import { limitUnsent, type UnsentLimits } from "../src/limits/schedule-fairly.ts";

const SOON = { deadlineMs: 30_000 };
const MIB = 1024 * 1024;
/** More than the system holds of a connection. */
const PAGE = "x".repeat(16 * MIB);
const GET = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const NEVER = Number.POSITIVE_INFINITY;

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

const respondAtOnce: RequestListener = (_request, response) => void response.end(PAGE);
/** Responds as the library of the RPCs does: it sends the rest only when the first part is sent. */
const respondInParts: RequestListener = (_request, response) => {
  response.once("drain", () => void response.end());
  response.write(PAGE);
};

/** Starts a server of one large page, with the limits or as Node has it. */
async function start(limits?: UnsentLimits, respond = respondAtOnce) {
  const limited = limits && limitUnsent(respond, limits);
  const server = createServer(limited?.listener ?? respond).listen(0, "127.0.0.1");
  resources.push(() => server.close());
  resources.push(() => limited?.stop());
  let closed = 0;
  server.on("connection", (socket) => socket.once("close", () => closed++));
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { request: (count?: number) => request(port, count), closed: () => closed };
}

/** Requests the page `count` times on a connection, and reads nothing yet. */
async function request(port: number, count = 1): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  resources.push(() => socket.destroy());
  await once(socket, "connect");
  socket.write(GET.repeat(count));
  await once(socket, "readable"); // the rest stays with the server
  return socket;
}

/** Returns whether a whole page arrives before the connection closes. */
async function isServed(socket: Socket): Promise<boolean> {
  let received = 0;
  socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
  });
  await waitFor(() => received > PAGE.length || socket.closed || undefined, SOON);
  return received > PAGE.length;
}

test("a client that does not read its response in time loses its connection; control: Node alone keeps it", async () => {
  const [limited, unlimited] = [await start({ ms: 300, bytes: NEVER }), await start()];
  const kept = await unlimited.request();
  const lost = await limited.request();
  await waitFor(() => limited.closed() === 1 || undefined, SOON);
  expect(unlimited.closed()).toBe(0);
  expect([await isServed(lost), await isServed(kept)]).toEqual([false, true]);
});

test("so does one whose response is not complete", async () => {
  const { request, closed } = await start({ ms: 300, bytes: NEVER }, respondInParts);
  const lost = await request();
  await waitFor(() => closed() === 1 || undefined, SOON);
  expect(await isServed(lost)).toBe(false);
});

test("a client that reads is served, one response after the other", async () => {
  const { request } = await start({ ms: NEVER, bytes: 20 * MIB });
  for (let round = 0; round < 5; round++) expect(await isServed(await request())).toBe(true);
});

test("when too much is unsent, who has been reading longest loses it; control: Node alone keeps all", async () => {
  const [limited, unlimited] = [await start({ ms: NEVER, bytes: 40 * MIB }), await start()];
  const request = async ({ request }: typeof limited) => [await request(), await request(), await request()];
  const [kept, some] = [await request(unlimited), await request(limited)];
  await waitFor(() => limited.closed() === 1 || undefined, SOON);
  expect(unlimited.closed()).toBe(0);
  expect(await Promise.all(some.map(isServed))).toEqual([false, true, true]);
  expect(await Promise.all(kept.map(isServed))).toEqual([true, true, true]);
});

test("the responses to pipelined requests count together", async () => {
  const { request, closed } = await start({ ms: NEVER, bytes: 40 * MIB });
  const [one, other] = [await request(3), await request()];
  await waitFor(() => closed() === 1 || undefined, SOON);
  expect(await isServed(other)).toBe(true);
  one.destroy();
});
