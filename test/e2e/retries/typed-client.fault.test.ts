import { randomUUID } from "node:crypto";
import { createClient, createResilientTransport } from "@cloud/client";
import { statement } from "@cloud/postgres";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { tokenOf } from "@cloud/service/testing";
import { waitFor } from "@cloud/testkit";
import { type Client, createClient as createPlainClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Replicas, startReplicas } from "./start-replicas.ts";

const SETTINGS = { token: tokenOf("admin"), timeoutMs: 30_000, maxTries: 10 };

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas();
}, 60_000);
afterAll(() => replicas.stop());

const url = () => `http://127.0.0.1:${replicas.proxies[0].port}`;

async function created(name: string): Promise<string[]> {
  const text = statement<{ id: string }>`
    select id
    from environments
    where name = $1`;
  return (await replicas.db.read(text, [name])).rows.map(({ id }) => id);
}

type Create = Client<typeof EnvironmentService>["createEnvironment"];

/** Creates an environment by a replica that is killed after its commit, before its reply arrives, and started again. */
async function createAndKill(create: Create, name: string): Promise<string | undefined> {
  const [program] = replicas.programs;
  const [proxy] = replicas.proxies;
  proxy.delay(60_000);
  const reply = create({ organizationId: replicas.identity.home, name });
  // Awaited below; meanwhile it is no unhandled rejection.
  reply.catch(() => undefined);
  await waitFor(async () => (await created(name)).length || undefined, { deadlineMs: 30_000 });
  // A retry meanwhile waits, however long the program takes to start.
  proxy.blackHole();
  proxy.cut();
  await program.kill();
  await program.start();
  proxy.heal();
  return (await reply).environment?.id;
}

test("a creation whose service is killed in the middle returns the one record", async () => {
  const name = randomUUID();
  const client = createClient(EnvironmentService, { url: url(), ...SETTINGS });
  const id = await createAndKill(client.createEnvironment, name);
  expect(await created(name)).toEqual([id]);
}, 60_000);

test("control: without its key, there are two", async () => {
  const name = randomUUID();
  const dropKey: Interceptor = (next) => (request) => {
    request.header.delete("Idempotency-Key");
    return next(request);
  };
  const keyless = createConnectTransport({ baseUrl: url(), httpVersion: "1.1", interceptors: [dropKey] });
  const client = createPlainClient(EnvironmentService, createResilientTransport(keyless, SETTINGS));
  await createAndKill(client.createEnvironment, name);
  expect(await created(name)).toHaveLength(2);
}, 60_000);
