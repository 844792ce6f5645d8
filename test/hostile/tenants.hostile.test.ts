import type { RemovedProtection } from "@cloud/testkit";
import { writeReport } from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { loadServices } from "../cases/surfaces/exposed-methods.ts";
import { forEachService } from "../chaos/system/services.ts";
import { startSystem } from "../chaos/system/start-system.ts";
import { hostileControls } from "./controls.ts";
import { createRecords } from "./rest-fuzz/records.ts";
import { EXCEPTIONS } from "./tenants/exceptions.ts";
import { judgeTried } from "./tenants/judge-tried.ts";
import { type Tried, tryForeign } from "./tenants/try-foreign.ts";
import { createWireClient } from "./wire/send-http.ts";

const services = (await loadServices()).filter(({ typeName }) => !typeName.startsWith("grpc."));

async function tryAll(removeAlso: readonly RemovedProtection[] = []): Promise<Tried[]> {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ removeAlso });
  resources.defer(() => system.stop());
  const { demo } = system;
  const own = await createRecords(demo, "outsider");
  const other = await createRecords(demo, "orgAdmin");
  const rest = resources.adopt(createWireClient(demo.gateway), (client) => client.close());
  const rpc = await forEachService(async (name) =>
    resources.adopt(createWireClient(demo.services[name]), (client) => client.close()),
  );
  const tried: Tried[] = [];
  for (const method of services.flatMap(({ methods }) => methods)) {
    tried.push(...(await tryForeign({ demo, own, other, rest, rpc }, method)));
  }
  return tried;
}

test("a record of another organization is refused, with the answer of one that does not exist", async () => {
  const tried = await tryAll();
  const wrong = tried.flatMap(judgeTried);
  const exceptions = Object.keys(EXCEPTIONS).length;
  writeReport({ what: "hostile-tenants", promise: 3, tried: tried.length, wrong: wrong.length, exceptions });
  expect(wrong).toEqual([]);
}, 240_000);

test("control: without the check of membership the records of others are served", async () => {
  const wrong = (await tryAll(hostileControls.membership)).flatMap(judgeTried);
  writeReport({ what: "hostile-tenants-control", promise: 3, wrong: wrong.length });
  expect(wrong).toContainEqual(expect.stringMatching(/^workspace\.v1\.WorkspaceService\/GetWorkspace id REST: served/));
}, 240_000);

test("every exception is of an RPC and a field that exist", () => {
  const names = services.flatMap(({ typeName, methods }) =>
    methods.flatMap(({ name, input }) => input.fields.map(({ jsonName }) => `${typeName}/${name} ${jsonName}`)),
  );
  expect(Object.keys(EXCEPTIONS).filter((name) => !names.includes(name))).toEqual([]);
});
