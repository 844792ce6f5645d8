import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { closeGracefully, type Listening, listen } from "../src/listen.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";

const server = createServer((_request, response) => response.end("here"));
let listening: Listening;
let client: Socket;
let received: string;

/** Opens a connection that has had a response, and is idle. */
beforeEach(async () => {
  listening = await listen(server, "127.0.0.1", 0);
  received = "";
  client = connect(listening.port, "127.0.0.1").setEncoding("latin1");
  client.on("data", (text: string) => {
    received += text;
  });
  await once(client, "connect");
  client.write(REQUEST);
  while (!received.endsWith("here")) await once(client, "data");
  received = "";
});
afterEach(() => void client.destroy());

/** Sends a request. The system has it for the server before this returns, and the server has not yet read it. */
const sendUnread = () => void client.write(REQUEST);

const stop = async () => await closeGracefully(listening, { http1: server, force: () => server.closeAllConnections() });

test("a request that has arrived when the server stops is served, and its connection closes", async () => {
  const closed = once(client, "close");
  sendUnread();
  await stop();
  await closed;
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(received.toLowerCase()).toContain("connection: close\r\n");
});

test("control: closed before what has arrived is read, the connection ends without a response", async () => {
  const closed = once(client, "close");
  client.on("error", () => undefined);
  sendUnread();
  await listening.close();
  await closed;
  expect(received).toBe("");
});
