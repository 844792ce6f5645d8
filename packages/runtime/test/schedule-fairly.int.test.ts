import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { waitFor } from "@cloud/testkit";
import { afterEach, expect, jest, test } from "@jest/globals";
import { scheduleFairly } from "../src/limits/schedule-fairly.ts";

const SOON = { deadlineMs: 30_000 };
const GET = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

const resources: (() => unknown)[] = [];
afterEach(async () => {
  jest.useRealTimers();
  for (const release of resources.splice(0).reverse()) await release();
});

/** Keeps each request until `answer` is called, which answers all of them. */
function keepRequests() {
  const kept: ServerResponse[] = [];
  let max = 0;
  const listener: RequestListener = (_request, response) => {
    kept.push(response);
    max = Math.max(max, kept.length);
  };
  const answer = () => kept.splice(0).forEach((response) => void response.end("ok"));
  return { listener, answer, kept, max: () => max };
}

/** The ways to serve requests: in turn, or all at once, as Node does. */
type Serve = (server: Server, listener: RequestListener) => RequestListener;
const asNodeDoes: Serve = (_server, listener) => listener;

async function startServer(listener: RequestListener, serve: Serve): Promise<Server> {
  const server = createServer();
  server.on("request", serve(server, listener)).listen(0, "127.0.0.1");
  resources.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, "listening");
  return server;
}

async function connectTo(
  listener: RequestListener,
  serve: Serve = scheduleFairly,
): Promise<{ client: Socket; replies: () => number }> {
  const server = await startServer(listener, serve);
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
  resources.push(() => client.destroy());
  await once(client, "connect");
  let text = "";
  client.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
  return { client, replies: () => text.split("200 OK").length - 1 };
}

test("of 2,000 pipelined requests 8 are served at a time, and all of them are", async () => {
  let [serving, max] = [0, 0];
  const listener: RequestListener = (_request, response) => {
    max = Math.max(max, ++serving);
    setImmediate(() => {
      serving--;
      response.end("ok");
    });
  };
  const { client, replies } = await connectTo(listener);
  client.write(GET.repeat(2_000));
  await waitFor(() => replies() === 2_000 || undefined, SOON);
  expect(max).toBeLessThanOrEqual(8);
});

/** Returns how many of 2,000 pipelined requests were served before that of another client, sent at their beginning. */
async function countServedBefore(serve: Serve): Promise<number> {
  const served = Promise.withResolvers<number>();
  let pipelined = 0;
  const listener: RequestListener = (request, response) => {
    if (request.url === "/other") served.resolve(pipelined);
    else if (++pipelined === 1) other.write("GET /other HTTP/1.1\r\nhost: a\r\n\r\n");
    response.end("ok");
  };
  const { client } = await connectTo(listener, serve);
  const other = connect(client.remotePort ?? 0, "127.0.0.1").on("error", () => undefined);
  resources.push(() => other.destroy());
  await once(other, "connect");
  client.write(GET.repeat(2_000));
  return await served.promise;
}

test("the request of another client is served while those pipelined pause; control: Node alone serves it last", async () => {
  jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "performance", "Date"] }); // the pause lasts
  expect(await countServedBefore(scheduleFairly)).toBe(1);
  expect(await countServedBefore(asNodeDoes)).toBe(2_000);
});

test("while requests wait, nothing more is read", async () => {
  const requests = keepRequests();
  const { client } = await connectTo(requests.listener);
  client.write(GET.repeat(500_000)); // 13 MB
  await waitFor(() => requests.kept.length === 8 || undefined, SOON);
  const socket = requests.kept[0]?.socket;
  const read = socket?.bytesRead ?? 0;
  for (let turn = 0; turn < 1_000; turn++) await nextTurn();
  expect(socket?.bytesRead).toBe(read);
  expect(read).toBeLessThanOrEqual(4 * 65_536);
  expect(requests.kept).toHaveLength(8);
});

test("a body that is still being sent is read although a request came before it", async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const { client } = await connectTo((request, response) => {
    if (request.method === "GET") void first.promise.then(() => response.end());
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      if (request.method === "POST") second.resolve(body);
    });
  });
  client.write(GET + "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 200000\r\n\r\n");
  client.write("x".repeat(200_000));
  expect(await second.promise).toHaveLength(200_000);
  first.resolve();
});

test("a body of empty lines is read in parts of at least 128 bytes", async () => {
  const read = Promise.withResolvers<number>();
  const { client } = await connectTo((request) => {
    let parts = 0;
    request.on("data", () => void parts++).on("end", () => read.resolve(parts));
  });
  client.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 200000\r\n\r\n");
  client.write("\r\n\r\n".repeat(50_000));
  const parts = await read.promise;
  expect(parts).toBeLessThanOrEqual(200_000 / 128 + 16);
  expect(parts).toBeGreaterThan(200_000 / 2_048);
});

test("a client that leaves takes its waiting requests with it", async () => {
  const requests = keepRequests();
  const { client } = await connectTo(requests.listener);
  client.write(GET.repeat(1_000));
  await waitFor(() => requests.kept.length === 8 || undefined, SOON);
  const closed = Promise.all(requests.kept.map((response) => once(response, "close")));
  client.destroy();
  requests.answer();
  await closed;
  expect(requests.max()).toBe(8);
});

test("control: Node alone serves all that it has read", async () => {
  const requests = keepRequests();
  const { client } = await connectTo(requests.listener, asNodeDoes);
  client.write(GET.repeat(1_000));
  await waitFor(() => requests.kept.length === 1_000 || undefined, SOON);
  expect(requests.max()).toBe(1_000);
});

/**
 * Sends 64 KB of small requests on each of `count` connections, and returns what the server has parsed and read of
 * them.
 */
async function pipelineOn(count: number, serve: Serve): Promise<{ parsed: number; read: number; open: number }> {
  let parsed = 0;
  const server = await startServer(() => undefined, serve);
  server.prependListener("request", () => void parsed++);
  const accepted: Socket[] = [];
  server.on("connection", (socket) => accepted.push(socket));
  const { port } = server.address() as AddressInfo;
  const block = Buffer.from(KEPT.repeat(Math.ceil(65_536 / KEPT.length)));
  for (let opened = 0; opened < count; opened++) {
    const client = connect(port, "127.0.0.1").on("error", () => undefined);
    resources.push(() => client.destroy());
    client.write(block);
  }
  const read = () => accepted.reduce((sum, socket) => sum + socket.bytesRead, 0);
  const open = () => accepted.filter(({ destroyed }) => !destroyed);
  // Each connection has been read from, and then nothing more happens in a hundred turns.
  await waitFor(
    () => (accepted.length === count && accepted.every(({ bytesRead }) => bytesRead > 0)) || undefined,
    SOON,
  );
  for (let [before, calm] = [-1, 0]; calm < 100; calm = read() + parsed === before ? calm + 1 : 0) {
    before = read() + parsed;
    await nextTurn();
  }
  return { parsed, read: read(), open: open().length };
}

const KEPT = "GET / HTTP/1.1\r\nhost:a\r\n\r\n";

test("of what 600 connections pipeline together, 5 requests of each are parsed beside the 8 served, and 512 stay open; control: Node parses all of it", async () => {
  const inTurn = await pipelineOn(600, scheduleFairly);
  expect(inTurn.open).toBe(512);
  expect(inTurn.parsed).toBeLessThanOrEqual(600 * (8 + 5));
  expect(inTurn.read).toBeLessThanOrEqual(600 * 2 * 65_536);
  const { parsed } = await pipelineOn(10, asNodeDoes);
  expect(parsed).toBeGreaterThan(10 * 2_000);
});

/** Opens connections whose requests are answered at once, and returns the most requests that began in one turn. */
async function mostInTurn(serve: Serve): Promise<number> {
  const begun = new Map<number, number>();
  let [turn, isOver] = [0, false];
  const nextTurns = () => {
    turn++;
    if (!isOver) setImmediate(nextTurns);
  };
  setImmediate(nextTurns);
  resources.push(() => (isOver = true));
  const listener: RequestListener = (_request, response) => {
    begun.set(turn, (begun.get(turn) ?? 0) + 1);
    response.end("ok");
  };
  const clients = await connectAll(await startServer(listener, serve), 400);
  begun.clear();
  for (const { client } of clients) client.write(GET);
  await waitFor(() => clients.every(({ replies }) => replies() === 2) || undefined, SOON);
  return Math.max(...begun.values());
}

/** Opens connections and waits until the first request of every connection is answered. */
async function connectAll(server: Server, count: number) {
  const { port } = server.address() as AddressInfo;
  const clients = Array.from({ length: count }, () => {
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    resources.push(() => client.destroy());
    let text = "";
    client.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
    return { client, replies: () => text.split("200 OK").length - 1 };
  });
  for (const { client } of clients) client.write(GET);
  await waitFor(() => clients.every(({ replies }) => replies() === 1) || undefined, SOON);
  return clients;
}

test("of 400 requests that are answered at once, 256 begin in a turn; control: by Node alone, more", async () => {
  let most = 0;
  // Again, if the system has passed on the 400 in parts, as a busy one does.
  while (most < 256) most = await mostInTurn(scheduleFairly);
  expect(most).toBe(256);
  while (most <= 256) most = await mostInTurn(asNodeDoes);
});

test("behind 400 requests that are answered at once, each of a connection is answered that comes in parts or with its end", async () => {
  const listener: RequestListener = (request, response) => {
    if (request.method === "GET") return void response.end("ok");
    void request.toArray().then((parts) => response.end(String(Buffer.concat(parts).length)));
  };
  const clients = await connectAll(await startServer(listener, scheduleFairly), 402);
  const [inParts, ended, ...others] = clients;
  if (inParts === undefined || ended === undefined) throw new Error("no clients");
  for (const { client } of others) client.write(GET);
  ended.client.end(GET);
  for (const part of PARTS) {
    inParts.client.write(part);
    await nextTurn();
  }
  await waitFor(() => clients.every(({ replies }) => replies() === 2) || undefined, SOON);
});

const BODY = "x".repeat(200_000);
/** The second arrives while the first waits for its turn, and the others after it. */
const PARTS = ["POST / HTTP/1.1\r\n", "host: a\r\n", `content-length: ${BODY.length + 4}\r\n\r\n`, BODY, "last"];
