import { fileURLToPath } from "node:url";
import { credentialOf, type IdentityPeer, SERVICE_TOKEN, startIdentityPeer, tokenOf } from "@cloud/service/testing";
import { createTestDatabase, type Program, startProgram, takeStablePort, waitFor } from "@cloud/testkit";
import { type RestartableNats, startRestartableNats } from "@cloud/testkit/faults";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { clientsFor } from "./fixture.ts";
import { startWatching } from "./watch-stage.ts";

const DEADLINE = { deadlineMs: 30_000 };
const resources = new AsyncDisposableStack();
let identity: IdentityPeer;
let nats: RestartableNats;
let replicas: readonly [Program, Program];

beforeAll(async () => {
  const database = await createTestDatabase("workspace");
  resources.defer(() => database.drop());
  identity = await startIdentityPeer();
  resources.defer(() => identity.stop());
  nats = await startRestartableNats();
  resources.defer(() => nats.stop());
  const start = async () => {
    const program = await startProgram({
      name: "workspace",
      main: fileURLToPath(new URL("../src/main.ts", import.meta.url)),
      port: await takeStablePort(),
      operatorPort: await takeStablePort(),
      env: {
        DATABASE_URL: database.url,
        MIGRATION_DATABASE_URL: database.ownerUrl,
        NATS_URL: nats.urlOf("workspace"),
        IDENTITY_URL: identity.url,
        ENVIRONMENT_URL: "http://127.0.0.1:1",
        SERVICE_TOKEN: credentialOf("workspace"),
        SERVICE_CREDENTIALS: `operator:${SERVICE_TOKEN}`,
        LAME_DUCK_MS: "0",
      },
    });
    resources.defer(() => program.close());
    return program;
  };
  replicas = [await start(), await start()];
});
afterAll(() => resources.disposeAsync());

/** Resolves once the metric of every replica has the value. */
async function unsignalledIs(value: 0 | 1): Promise<void> {
  const line = new RegExp(`^watches_unsignalled(?:\\{.*\\})? ${value}$`, "m");
  const has = async ({ operatorUrl }: Program) => line.test(await (await fetch(operatorUrl + "/metrics")).text());
  for (const replica of replicas) await waitFor(async () => (await has(replica)) || undefined, DEADLINE);
}

test("watches of both replicas have each change, with NATS, without it, and with it again", async () => {
  const [one, other] = replicas.map(({ url }) => clientsFor(url, tokenOf("admin")));
  if (one === undefined || other === undefined) throw new Error("there are two replicas");
  const { workspace } = await one.workspaces.createWorkspace({ organizationId: identity.home, name: "watched" });
  const id = workspace?.id ?? "";
  const watches = [await startWatching(one, { id }), await startWatching(other, { id })];
  let changes = 0;
  const change = async () => {
    await one.workspaces.updateWorkspace({ id, name: `changed ${changes++}` });
    for (const watch of watches) await watch.received(changes);
  };

  await unsignalledIs(0);
  await change();
  await nats.kill();
  await unsignalledIs(1);
  await change();
  await nats.start();
  await unsignalledIs(0);
  await change();
  for (const watch of watches) {
    expect(watch.ids()).toHaveLength(changes);
    await watch.stop();
  }
});
