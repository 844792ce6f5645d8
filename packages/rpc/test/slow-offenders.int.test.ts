import { once } from "node:events";
import http2 from "node:http2";
import { connect } from "node:net";
import { afterEach, expect, jest, test } from "@jest/globals";
import { resetRequests } from "./raw-http2.ts";
import { startAccessServer } from "./start-access-server.ts";

const resources: (() => unknown)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const release of resources.splice(0).reverse()) await release();
});

async function startServer() {
  const server = await startAccessServer(() => ({ allowed: true }));
  resources.push(() => server.stop());
  return server;
}

/** Whether a new HTTP/2 connection begins; it is closed after a second if not. */
async function begins(url: string): Promise<boolean> {
  const session = http2.connect(url).on("error", () => undefined);
  // Not by `once` of node:events, which rejects if the end is a reset.
  const began = await new Promise<boolean>((resolve) => {
    session.once("remoteSettings", () => resolve(true)).once("close", () => resolve(false));
  });
  session.destroy();
  return began;
}

/** Opens a connection with so many resets that the server ends it. */
async function offend(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  socket.write(resetRequests(600));
  await once(socket.resume(), "close");
}

test("an address whose connection broke a limit begins the next ones one at a time; HTTP/1.1 is served", async () => {
  const { url, port } = await startServer();
  const beginning = async () => {
    const began = await Promise.all(Array.from({ length: 20 }, () => begins(url)));
    return began.filter((one) => one).length;
  };
  const clock = jest.spyOn(performance, "now").mockReturnValue(1_000);
  await offend(port);
  expect(await beginning()).toBe(0);
  expect((await fetch(url)).status).toBe(404);
  clock.mockReturnValue(2_000);
  expect(await beginning()).toBe(1);
});

test("without an offence, all connections of an address begin at once", async () => {
  const { url } = await startServer();
  const began = await Promise.all(Array.from({ length: 20 }, () => begins(url)));
  expect(began).toEqual(Array(20).fill(true));
});
