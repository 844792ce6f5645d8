import { Socket } from "node:net";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { type FaultProxy, startFaultProxy } from "@cloud/testkit/faults";
import { createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createServiceTransport, type RpcServer } from "../src/index.ts";
import { startAccessServer, TOKEN } from "./start-access-server.ts";

const CALLS = 1_000;

interface Replica extends RpcServer {
  /** The ids of the calls that it has processed. */
  readonly calls: string[];
}

const resources: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const resource of resources.splice(0).reverse()) await resource.stop();
});

async function startReplica(sessionAgeMs: number): Promise<Replica> {
  const calls: string[] = [];
  const checkAccess = async ({ userId }: { readonly userId: string }) => {
    calls.push(userId);
    await Promise.resolve();
    return { allowed: true };
  };
  const server = await startAccessServer(checkAccess, { sessionAgeMs });
  const replica = { ...server, calls };
  resources.push(replica);
  return replica;
}

async function startBalanced(sessionAgeMs: number): Promise<{ replicas: [Replica, Replica]; balancer: FaultProxy }> {
  const replicas: [Replica, Replica] = [await startReplica(sessionAgeMs), await startReplica(sessionAgeMs)];
  const balancer = await startFaultProxy(...replicas.map(({ port }) => ({ host: "127.0.0.1", port })));
  resources.push(balancer);
  return { replicas, balancer };
}

interface Calling {
  /** Callers that call one after the other; each has a connection of its own. */
  readonly callers?: number;
  readonly during?: (index: number) => void;
}

/** Makes `CALLS` calls. Returns the ids of the calls that failed. */
async function callAll(transport: Transport, { callers = 8, during }: Calling = {}): Promise<string[]> {
  const access = createClient(AccessService, transport);
  const failed: string[] = [];
  let next = 0;
  const caller = async () => {
    for (let index = next++; index < CALLS; index = next++) {
      during?.(index);
      await access.checkAccess({ userId: String(index) }).catch(() => failed.push(String(index)));
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return failed;
}

function connect({ port }: FaultProxy): Transport {
  const transport = createServiceTransport({ url: `http://127.0.0.1:${port}`, serviceToken: TOKEN });
  resources.push({ stop: async () => transport.close() });
  return transport;
}

const once = (count: number) => Array.from({ length: count }, (_, index) => String(index)).sort();

describe("connections with a maximum age", () => {
  test("close, so that the calls of one caller spread over the replicas; each is processed once and none fails", async () => {
    const { replicas, balancer } = await startBalanced(20);
    expect(await callAll(connect(balancer), { callers: 1 })).toEqual([]);
    expect(replicas.flatMap(({ calls }) => calls).sort()).toEqual(once(CALLS));
    for (const { calls } of replicas) expect(calls.length).toBeGreaterThan(CALLS / 10);
    expect(balancer.accepted()).toBeGreaterThan(5);
  });

  test("control: without a maximum age, one caller keeps the one or two connections that it has", async () => {
    const { balancer } = await startBalanced(60_000);
    expect(await callAll(connect(balancer), { callers: 1 })).toEqual([]);
    expect(balancer.accepted()).toBeLessThanOrEqual(2);
  });

  test("control: a client that does not resend refused calls sees calls fail", async () => {
    const { replicas, balancer } = await startBalanced(10);
    const authorized = createGrpcTransport({
      baseUrl: `http://127.0.0.1:${balancer.port}`,
      interceptors: [
        (next) => (request) => {
          request.header.set("authorization", "Bearer " + TOKEN);
          return next(request);
        },
      ],
    });
    const failed = await callAll(authorized);
    expect(failed.length).toBeGreaterThan(0);
    // The failed calls were not processed, which is why they may be resent.
    const processed = new Set(replicas.flatMap(({ calls }) => calls));
    expect(failed.filter((id) => processed.has(id))).toEqual([]);
  });
});

test("a replica that stops fails no call, and none is processed twice", async () => {
  const { replicas, balancer } = await startBalanced(60_000);
  let stopped: Promise<void> | undefined;
  const during = (index: number) => {
    if (index === CALLS / 2) stopped = replicas[0].stop();
  };
  const failed = await callAll(connect(balancer), { during });
  await stopped;
  expect(failed).toEqual([]);
  expect(replicas.flatMap(({ calls }) => calls).sort()).toEqual(once(CALLS));
});

test("a server that leaves keeps serving; responses over HTTP/1.1 close their connection", async () => {
  const { replicas, balancer } = await startBalanced(60_000);
  const [server] = replicas;
  expect((await fetch(server.url)).headers.get("connection")).toBe("keep-alive");
  expect(await server.readiness()).toEqual({ ready: true, lines: ["ready"] });
  server.beginDrain();
  expect((await fetch(server.url)).headers.get("connection")).toBe("close");
  expect(await callAll(connect(balancer))).toEqual([]);
});

test("a connection without data delays the stop by a second, not by ten", async () => {
  const server = await startReplica(60_000);
  const silent = new Socket().connect(server.port, "127.0.0.1");
  await new Promise((resolve) => silent.once("connect", resolve));
  // Replied to on a later connection, so the silent one was accepted.
  await (await fetch(server.url)).text();
  await server.stop();
}, 5_000);
