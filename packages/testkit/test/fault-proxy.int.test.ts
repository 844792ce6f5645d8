import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type FaultProxy, startFaultProxy } from "../src/faults/fault-proxy.ts";
import { waitFor } from "../src/test-telemetry.ts";

/** Starts a server that echoes every chunk, prefixed with its own name. */
async function startEcho(name: string) {
  const server = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => socket.write(`${name}:${chunk}`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { host: "127.0.0.1", port, close: () => server.close() };
}

type Echo = Awaited<ReturnType<typeof startEcho>>;

let echo: Echo;
let proxy: FaultProxy;
const clients: Client[] = [];

beforeEach(async () => {
  echo = await startEcho("a");
  proxy = await startFaultProxy(echo);
});

afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  await proxy.stop();
  echo.close();
});

interface Client {
  socket: Socket;
  received(): string;
  closed(): boolean;
}

async function connect(): Promise<Client> {
  const socket = net.connect({ port: proxy.port, host: proxy.host });
  let received = "";
  let closed = false;
  socket.on("data", (chunk) => {
    received += String(chunk);
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    closed = true;
  });
  await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => undefined);
  const client = { socket, received: () => received, closed: () => closed };
  clients.push(client);
  return client;
}

const receives = (client: Client, text: string) =>
  waitFor(() => (client.received() === text ? true : undefined), { deadlineMs: 30_000 });
const isCut = (client: Client) => waitFor(() => (client.closed() ? true : undefined), { deadlineMs: 30_000 });

test("keeps the order of delayed data when the delay ends", async () => {
  const client = await connect();
  proxy.delay(100);
  client.socket.write("1");
  await waitFor(() => proxy.delayed() === 1 || undefined, { deadlineMs: 30_000 });
  proxy.delay(0);
  client.socket.write("2");
  await waitFor(() => client.received().length === 6 || undefined, { deadlineMs: 30_000 });
  expect(client.received()).toBe("a:1a:2");
});

test("forwards both ways, and delays replies", async () => {
  const [client, other] = [await connect(), await connect()];
  client.socket.write("1");
  await receives(client, "a:1");
  proxy.delay(60_000);
  client.socket.write("2");
  await waitFor(() => proxy.delayed() === 1 || undefined, { deadlineMs: 30_000 });
  proxy.delay(0);
  other.socket.write("3");
  await receives(other, "a:3");
  expect(client.received()).toBe("a:1");
});

test("a black hole keeps connections open and drops all data, until it is healed", async () => {
  const [old, other] = [await connect(), await connect()];
  await waitFor(() => (proxy.connections() === 2 ? true : undefined), { deadlineMs: 30_000 });
  proxy.blackHole();
  old.socket.write("lost");
  const young = await connect();
  young.socket.write("lost too");
  await waitFor(() => (proxy.swallowed() === 2 ? true : undefined), { deadlineMs: 30_000 });
  proxy.heal();
  other.socket.write("2");
  await receives(other, "a:2");
  await isCut(old);
  await isCut(young);
  expect([old.received(), young.received()]).toEqual(["", ""]);
});

test("one connection of several can be black-holed or dropped", async () => {
  const [first, second] = [await connect(), await connect()];
  await waitFor(() => (proxy.connections() === 2 ? true : undefined), { deadlineMs: 30_000 });
  proxy.blackHoleOne(0);
  first.socket.write("1");
  second.socket.write("2");
  await receives(second, "a:2");
  expect(first.received()).toBe("");
  proxy.cutOne(1);
  await isCut(second);
  expect(first.closed()).toBe(false);
});

test("cut lets new connections through, refuse does not", async () => {
  const client = await connect();
  await waitFor(() => (proxy.connections() === 1 ? true : undefined), { deadlineMs: 30_000 });
  proxy.cut();
  await isCut(client);
  const next = await connect();
  next.socket.write("1");
  await receives(next, "a:1");
  proxy.refuse();
  await isCut(next);
  await isCut(await connect());
  proxy.heal();
  const last = await connect();
  last.socket.write("2");
  await receives(last, "a:2");
  expect(proxy.accepted()).toBe(4);
});

test("several targets take turns", async () => {
  const other = await startEcho("b");
  proxy.setTargets([echo, other]);
  const replies: string[] = [];
  for (let index = 0; index < 4; index++) {
    const client = await connect();
    client.socket.write("?");
    await waitFor(() => (client.received() === "" ? undefined : true), { deadlineMs: 30_000 });
    replies.push(client.received());
    client.socket.destroy();
  }
  expect(replies.toSorted()).toEqual(["a:?", "a:?", "b:?", "b:?"]);
  other.close();
});
