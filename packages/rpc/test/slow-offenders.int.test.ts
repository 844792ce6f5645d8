import { once } from "node:events";
import http2 from "node:http2";
import { connect } from "node:net";
import { waitFor } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";
import { resetRequests } from "./raw-http2.ts";
import { startAccessServer } from "./start-access-server.ts";

const resources: (() => unknown)[] = [];
afterEach(async () => {
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
  const began = await Promise.race([
    once(session, "remoteSettings").then(() => true),
    once(session, "close").then(() => false),
  ]);
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
  await offend(port);
  const first = await Promise.all(Array.from({ length: 20 }, () => begins(url)));
  expect(first.filter((began) => began).length).toBeLessThan(10);
  expect((await fetch(url)).status).toBe(404);
  expect(await waitFor(async () => (await begins(url)) || undefined, { deadlineMs: 5_000 })).toBe(true);
});

test("without an offence, all connections of an address begin at once", async () => {
  const { url } = await startServer();
  const began = await Promise.all(Array.from({ length: 20 }, () => begins(url)));
  expect(began).toEqual(Array(20).fill(true));
});
