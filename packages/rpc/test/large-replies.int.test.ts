import http, { type ServerResponse } from "node:http";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { listen } from "@cloud/runtime";
import { waitFor } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";
import { createServiceTransport, type ServiceTransport } from "../src/index.ts";

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

const MIB = 2 ** 20;

/** Starts a peer whose replies `reply` writes, by the number of the call, and a transport to it. */
async function startPeer(reply: (response: ServerResponse, call: number) => void): Promise<ServiceTransport> {
  const server = http.createServer((request, response) => {
    // A new connection is proved before it is used.
    if (request.method !== "POST") return void response.writeHead(404).end();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => reply(response, Buffer.concat(chunks)[0] ?? 0));
    response.on("error", () => undefined);
    return undefined;
  });
  const { url, close } = await listen(server, "127.0.0.1", 0);
  resources.push(async () => {
    const closed = close();
    server.closeAllConnections();
    await closed;
  });
  const transport = createServiceTransport({ url, deadlineMs: 30_000 });
  resources.push(transport.close);
  return transport;
}

/** Returns the size of the reply. */
async function call(transport: ServiceTransport, number: number, signal?: AbortSignal): Promise<number> {
  const { checkAccess } = AccessService.method;
  const { message } = await transport.unaryBinary(checkAccess, signal, undefined, undefined, Buffer.from([number]));
  return message.length;
}

function begin(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { "content-type": "application/proto", "content-length": bytes });
}

const calls = (count: number) => Array.from({ length: count }, (_, number) => number);

test("large replies are read one after the other, small ones meanwhile", async () => {
  const [large, small] = [15 * MIB, 1_000];
  let sent = 0;
  const transport = await startPeer((response, number) => {
    const bytes = number < 5 ? large : small;
    begin(response, bytes);
    response.end(Buffer.alloc(bytes), () => {
      if (bytes === large) sent++;
    });
  });
  // // More than the buffers of the kernel hold: the peer cannot send bytes that are not read.
  const sentByThen = calls(5).map(async (number) => {
    expect(await call(transport, number)).toBe(large);
    return sent;
  });
  expect(await call(transport, 5)).toBe(small);
  expect((await Promise.all(sentByThen)).toSorted()).toEqual([1, 2, 3, 4, 5]);
});

test("16 wait, also longer than a peer may be silent; more are refused, and one whose caller leaves leaves its place", async () => {
  let heldUp: ServerResponse | undefined;
  const transport = await startPeer((response, number) => {
    begin(response, MIB);
    if (number > 0) response.end(Buffer.alloc(MIB));
    else heldUp = response.on("close", () => clearInterval(dribble));
    if (number === 0) response.write(Buffer.alloc(1));
  });
  let written = 1;
  // Not silent, and not done in the 4 s after which a silent peer counts as gone.
  const dribble = setInterval(() => {
    if (heldUp === undefined) return;
    if (++written < 25) heldUp.write(Buffer.alloc(1));
    else heldUp.end(Buffer.alloc(MIB - written + 1));
    if (written >= 25) clearInterval(dribble);
  }, 200);
  resources.push(() => clearInterval(dribble));

  const first = call(transport, 0);
  await waitFor(() => heldUp, { deadlineMs: 30_000 }); // on a busy machine, the replies to 16 others came before this one
  const leaving = new AbortController();
  const left = call(transport, 1, leaving.signal).catch((error: Error) => error.message);
  const outcomes = await Promise.race([
    first,
    (async () => {
      const others = calls(17).map((number) => call(transport, number + 2).catch((error: Error) => error.message));
      const refused = await Promise.any(others.map(async (one) => expect(await one).toContain("busy")));
      leaving.abort();
      expect(await left).toContain("aborted");
      return { refused, others };
    })(),
  ]);
  if (typeof outcomes === "number") throw new Error("none was refused");
  expect(await first).toBe(MIB);
  const results = await Promise.all(outcomes.others);
  expect(results.filter((result) => result === MIB).length).toBeGreaterThanOrEqual(15);
}, 30_000);
