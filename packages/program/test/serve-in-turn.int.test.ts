import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { waitFor } from "@cloud/testkit";
import { afterEach, expect, jest, test } from "@jest/globals";
import { serveInTurn } from "../src/index.ts";

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
  let most = 0;
  const listener: RequestListener = (_request, response) => {
    kept.push(response);
    most = Math.max(most, kept.length);
  };
  const answer = () => kept.splice(0).forEach((response) => void response.end("ok"));
  return { listener, answer, kept, most: () => most };
}

async function connectTo(listener: RequestListener): Promise<{ client: Socket; replies: () => number }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  resources.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
  resources.push(() => client.destroy());
  await once(client, "connect");
  let text = "";
  client.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
  return { client, replies: () => text.split("200 OK").length - 1 };
}

test("of 2,000 pipelined requests 8 are served at a time, and all of them are", async () => {
  let [serving, most] = [0, 0];
  const listener: RequestListener = (_request, response) => {
    most = Math.max(most, ++serving);
    setImmediate(() => {
      serving--;
      response.end("ok");
    });
  };
  const { client, replies } = await connectTo(serveInTurn(listener));
  client.write(GET.repeat(2_000));
  await waitFor(() => replies() === 2_000 || undefined, SOON);
  expect(most).toBeLessThanOrEqual(8);
});

/** Returns how many of 2,000 pipelined requests were served before that of another client, sent at their beginning. */
async function countServedBefore(listen: (serve: RequestListener) => RequestListener): Promise<number> {
  const served = Promise.withResolvers<number>();
  let pipelined = 0;
  const listener = listen((request, response) => {
    if (request.url === "/other") served.resolve(pipelined);
    else if (++pipelined === 1) other.write("GET /other HTTP/1.1\r\nhost: a\r\n\r\n");
    response.end("ok");
  });
  const { client } = await connectTo(listener);
  const other = connect(client.remotePort ?? 0, "127.0.0.1").on("error", () => undefined);
  resources.push(() => other.destroy());
  await once(other, "connect");
  client.write(GET.repeat(2_000));
  return await served.promise;
}

test("the request of another client is served while those pipelined pause; control: Node alone serves it last", async () => {
  jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "performance", "Date"] }); // the pause lasts
  expect(await countServedBefore(serveInTurn)).toBe(8);
  expect(await countServedBefore((serve) => serve)).toBe(2_000);
});

test("while requests wait, nothing more is read", async () => {
  const requests = keepRequests();
  const { client } = await connectTo(serveInTurn(requests.listener));
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
  const { client } = await connectTo(
    serveInTurn((request, response) => {
      if (request.method === "GET") void first.promise.then(() => response.end());
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        if (request.method === "POST") second.resolve(body);
      });
    }),
  );
  client.write(GET + "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 200000\r\n\r\n");
  client.write("x".repeat(200_000));
  expect(await second.promise).toHaveLength(200_000);
  first.resolve();
});

test("a client that leaves takes its waiting requests with it", async () => {
  const requests = keepRequests();
  const { client } = await connectTo(serveInTurn(requests.listener));
  client.write(GET.repeat(1_000));
  await waitFor(() => requests.kept.length === 8 || undefined, SOON);
  const closed = Promise.all(requests.kept.map((response) => once(response, "close")));
  client.destroy();
  requests.answer();
  await closed;
  expect(requests.most()).toBe(8);
});

test("control: Node alone serves all that it has read", async () => {
  const requests = keepRequests();
  const { client } = await connectTo(requests.listener);
  client.write(GET.repeat(1_000));
  await waitFor(() => requests.kept.length === 1_000 || undefined, SOON);
  expect(requests.most()).toBe(1_000);
});
