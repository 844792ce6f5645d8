import { waitFor } from "@cloud/testkit";
import { startLoad } from "@cloud/testkit/figures";
import { countLeft, fillOrganization } from "../../test/chaos/large-deletion/fill-organization.ts";
import { longestHold } from "../../test/chaos/large-deletion/longest-hold.ts";
import type { System } from "../../test/chaos/system/start-system.ts";
import type { SystemDatabases } from "../../test/chaos/system/system-databases.ts";
import { restFor } from "../../test/e2e/rest.ts";
import type { Recorder } from "../harness/figures.ts";
import { createOrganization } from "./seed/seed-organizations.ts";

/** Measures how long everything in a deleted organization takes to be deleted, and the longest transaction of that. */
export async function measureDeletion(
  system: System,
  databases: SystemDatabases,
  { records, recorder }: { readonly records: number; readonly recorder: Recorder },
): Promise<void> {
  const organization = await createOrganization(system, "Deleted");
  await fillOrganization(databases, organization, records);
  const holds = startLoad(50, () => longestHold(databases));
  const began = performance.now();
  const { status } = await restFor(system.demo, system.demo.users.orgAdmin.token).delete(
    `/identity/organizations/${organization}`,
  );
  if (status !== 204) throw new Error(`the organization was not deleted: ${status}`);
  const isDeleted = async () => (await countLeft(databases, organization)).live === 0 || undefined;
  await waitFor(isDeleted, { deadlineMs: 600_000 });
  const seconds = (performance.now() - began) / 1000;
  const longest = Math.max(...(await holds.stop()).map(({ result = 0 }) => result));
  const name = { part: "growth", what: `deletion of an organization of ${records} records`, side: "cloud" };
  recorder.record({ ...name, program: "all", unit: "records per second" }, [records / seconds]);
  recorder.record({ ...name, program: "longest transaction", unit: "ms" }, [longest]);
}
