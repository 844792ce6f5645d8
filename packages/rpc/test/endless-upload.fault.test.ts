import { once } from "node:events";
import http2, { type ClientHttp2Stream } from "node:http2";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { afterEach, expect, test } from "@jest/globals";
import { frame } from "./raw-call.ts";
import { startAccessServer, TOKEN } from "./start-access-server.ts";
import { startPlainServer } from "./start-plain-server.ts";

const resources: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const resource of resources.splice(0).reverse()) await resource.stop();
});

/** Declares a message that every server refuses, and continues to send for as long as the stream lives. */
function uploadEndlessly(url: string): ClientHttp2Stream {
  const session = http2.connect(url);
  session.on("error", () => undefined);
  resources.push({ stop: async () => session.destroy() });
  const headers = { "content-type": "application/grpc", te: "trailers", authorization: "Bearer " + TOKEN };
  const stream = session.request({ ...headers, ":method": "POST", ":path": "/workspace.v1.AccessService/CheckAccess" });
  stream.on("error", () => undefined);
  const chunk = Buffer.alloc(64 * 1024);
  const send = () => {
    while (!stream.destroyed && stream.write(chunk));
  };
  stream.on("drain", send);
  stream.write(frame(chunk, { length: 0xffff_ffff }));
  send();
  stream.resume();
  return stream;
}

test("a client that goes on sending after the refusal has its stream closed, and the server stops", async () => {
  const server = await startAccessServer(() => ({ allowed: true }));
  const stream = uploadEndlessly(server.url);
  await once(stream, "close");
  expect(stream.rstCode).toBe(http2.constants.NGHTTP2_NO_ERROR);
  const other = uploadEndlessly(server.url);
  await once(other, "trailers");
  const began = performance.now();
  await server.stop();
  // A stop that has to break connections takes at least 10 s, on any machine.
  expect(performance.now() - began).toBeLessThan(10_000);
});

test("a client that sends nothing more has its stream closed, too", async () => {
  const server = await startAccessServer(() => ({ allowed: true }));
  resources.push(server);
  const session = http2.connect(server.url);
  resources.push({ stop: async () => session.destroy() });
  const headers = { "content-type": "application/grpc", te: "trailers", authorization: "Bearer " + TOKEN };
  const stream = session.request({ ...headers, ":method": "POST", ":path": "/workspace.v1.AccessService/CheckAccess" });
  stream.write(frame(Buffer.alloc(1), { length: 0xffff_ffff }));
  stream.resume();
  await once(stream, "close");
});

test("control: at the library's server the stream stays open", async () => {
  const plain = await startPlainServer((router) => router.service(AccessService, { checkAccess: () => ({}) }));
  resources.push(plain);
  const stream = uploadEndlessly(plain.url);
  await once(stream, "trailers");
  const late = AbortSignal.timeout(4_000);
  await expect(once(stream, "close", { signal: late })).rejects.toThrow();
});
