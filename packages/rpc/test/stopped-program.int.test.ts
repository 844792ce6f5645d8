import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { connectInTime } from "../src/client/connect-in-time.ts";

const REPLY = "HTTP/1.1 204 No Content\r\n\r\n";

/** A server that accepts connections, and sends nothing by itself. */
let server: Server;
beforeEach(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  jest.useFakeTimers({
    doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "performance", "Date"],
  });
});
afterEach(async () => {
  jest.useRealTimers();
  await new Promise((closed) => server.close(closed)); // once its connection has ended
});

/** Connects to the server; resolves with its side of the connection, and with how the attempt ends. */
async function connect() {
  const { port } = server.address() as { port: number };
  const outcome: { ended?: string } = {};
  const ended = new Promise<void>((resolve) => {
    connectInTime(new URL(`http://127.0.0.1:${port}`), undefined, (error, socket) => {
      outcome.ended = error === null ? "connected" : error.message;
      socket?.destroy();
      resolve();
    });
  });
  const [peer] = (await once(server, "connection")) as [Socket];
  await once(peer, "readable");
  return { peer, outcome, ended };
}

test("a program that was stopped while it connected reads what has arrived before it gives up", async () => {
  const { peer, outcome, ended } = await connect();
  // However long it was stopped, each of its timers is due once when it goes on.
  jest.runOnlyPendingTimers();
  await turn();
  expect(outcome).toEqual({});
  peer.end(REPLY);
  await ended;
  expect(outcome).toEqual({ ended: "connected" });
  peer.destroy();
});

test("a peer that stays silent for two seconds of a running program is given up", async () => {
  const { peer, outcome, ended } = await connect();
  for (let tenths = 1; tenths < 20; tenths += 1) jest.runOnlyPendingTimers();
  await turn();
  expect(outcome).toEqual({});
  jest.runOnlyPendingTimers();
  await ended;
  expect(outcome).toEqual({ ended: "not connected in time" });
  peer.destroy();
});
