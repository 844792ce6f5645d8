import { once } from "node:events";
import net, { connect, type Socket } from "node:net";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { waitFor } from "@cloud/testkit";
import { createClient } from "@connectrpc/connect";
import { afterEach, expect, test } from "@jest/globals";
import { createServiceTransport, type RpcServer } from "../src/index.ts";
import { startAccessServer, TOKEN } from "./start-access-server.ts";

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

const CALL = [
  "POST /workspace.v1.AccessService/CheckAccess HTTP/1.1",
  "host: peer",
  `authorization: Bearer ${TOKEN}`,
  "content-type: application/json",
  "content-length: 2",
  "",
  "{}",
].join("\r\n");

async function startCounting(sessionAgeMs = 60_000) {
  let calls = 0;
  const checkAccess = () => {
    calls++;
    return { allowed: true };
  };
  const server = await startAccessServer(checkAccess, { sessionAgeMs });
  resources.push(server.stop);
  return { server, calls: () => calls };
}

/** A connection whose replies are read as text. */
async function open({ port }: Pick<RpcServer, "port">): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true }).setEncoding("latin1");
  // A busy server may end the connection before it has read all of it: a reset.
  socket.on("error", () => undefined);
  resources.push(() => socket.destroy());
  let received = "";
  socket.on("data", (chunk: string) => {
    received += chunk;
  });
  await once(socket, "connect");
  return { socket, received: () => received };
}

const until = (condition: () => boolean) => waitFor(() => condition() || undefined, { deadlineMs: 30_000 });

test("a stopping server refuses a request that crosses its last response on an idle connection, and does not process it", async () => {
  const { server, calls } = await startCounting();
  const { socket, received } = await open(server);
  socket.write(CALL);
  await until(() => received().includes('{"allowed":true}'));
  const stopped = server.stop();
  await until(() => received().includes("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n"));
  socket.write(CALL);
  await stopped;
  expect(calls()).toBe(1);
  expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 408"]);
});

test("a connection beyond its age is closed with its next response, which says so", async () => {
  const { server } = await startCounting(0);
  const { socket, received } = await open(server);
  socket.write(CALL);
  await once(socket, "end");
  expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*connection: close\r\n/i);
});

test("a connection that a balancer accepts and closes costs no call: none was sent on it", async () => {
  const { server, calls } = await startCounting();
  const received: string[] = [];
  let accepted = 0;
  // The first connection reaches no replica, the second does.
  const balancer = net.createServer((near) => {
    near.on("error", () => undefined);
    accepted++;
    if (accepted === 1) {
      near.on("data", (chunk) => received.push(chunk.toString().split("\r\n")[0] ?? "")).once("data", () => near.end());
      return;
    }
    const far = connect({ port: server.port, host: "127.0.0.1" }).on("error", () => undefined);
    near.once("close", () => far.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => balancer.listen(0, "127.0.0.1", resolve));
  resources.push(() => balancer.close());
  const { port } = balancer.address() as net.AddressInfo;
  const transport = createServiceTransport({
    url: `http://127.0.0.1:${port}`,
    serviceToken: TOKEN,
    deadlineMs: 30_000,
  });
  resources.push(transport.close);
  expect(await createClient(AccessService, transport).checkAccess({})).toMatchObject({ allowed: true });
  expect([accepted, received, calls()]).toEqual([2, ["OPTIONS * HTTP/1.1"], 1]);
});
