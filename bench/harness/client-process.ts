// The client, in a process of its own so that its work is not measured. It receives a `Load` as a message, sends raw
// HTTP/1.1, and replies with a `LoadResult`.
import { connect, type Socket } from "node:net";
import type { Load, LoadResult } from "./load.ts";
import { createResponseReader } from "./response-reader.ts";

/** Requests that have become due are sent together, so that the client wakes up rarely. */
const TICK_MS = 2;

process.on("message", (load: Load) => {
  play(load).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
process.on("disconnect", () => process.exit(0));

async function play(load: Load): Promise<LoadResult> {
  const { ports, connections, count, perSecond, requests, unmeasured = 0 } = load;
  const sockets = await Promise.all(
    Array.from({ length: connections }, (_, index) => open(ports[index % ports.length] ?? 0)),
  );
  const statuses: Record<number, number> = {};
  const durations: number[] = [];
  const began = performance.now();
  const dueAt = (index: number) => began + (perSecond === undefined ? 0 : (index * 1000) / perSecond);
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>();
  const free: ((index: number) => void)[] = [];
  let [sent, received] = [0, 0];
  const sendDue = () => {
    while (sent < count && free.length > 0 && dueAt(sent) <= performance.now()) free.shift()?.(sent++);
  };
  for (const socket of sockets) {
    let [startedAt, current] = [0, 0];
    const send = (index: number) => {
      current = index;
      // With a rate, waiting for a free connection counts; without one, a request is due when it is sent.
      startedAt = perSecond === undefined ? performance.now() : dueAt(index);
      socket.write(requests[index % requests.length] ?? "");
    };
    const read = createResponseReader((status) => {
      if (current >= unmeasured) durations.push(performance.now() - startedAt);
      received++;
      statuses[status] = (statuses[status] ?? 0) + 1;
      free.push(send);
      if (received === count) resolve();
      else sendDue();
    });
    socket.on("data", read);
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed a connection")));
    free.push(send);
  }
  const tick = perSecond === undefined ? undefined : setInterval(sendDue, TICK_MS);
  sendDue();
  await finished.finally(() => clearInterval(tick));
  const seconds = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.removeAllListeners("close").destroy();
  return { statuses, durations, seconds };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket.off("error", reject)));
    socket.setNoDelay(true);
    socket.on("error", reject);
  });
}
