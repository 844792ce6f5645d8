import { writeReport } from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { changeAndList } from "./lists-without-nats/change-and-list.ts";
import { startSystem } from "./system/start-system.ts";
import { openDatabases } from "./system/system-databases.ts";

type Protections = NonNullable<Parameters<typeof startSystem>[0]>["remove"];

/** Lists large workspaces while NATS is down. */
async function listWithoutNats(remove: NonNullable<Protections> = []) {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ remove });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const listed = await changeAndList(system, databases, () => system.nats.kill());
  writeReport({ what: "chaos-lists-without-nats", promise: 8, ...listed });
  return listed;
}

test("lists of a workspace with many links show each change at once while NATS is down", async () => {
  expect(await listWithoutNats()).toEqual({ wrong: [], changes: 30 });
}, 120_000);

test("control: they do not if their owners list deleted records", async () => {
  expect((await listWithoutNats(["ownersLists"])).wrong.length).toBeGreaterThan(0);
}, 120_000);
