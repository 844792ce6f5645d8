import { appendEvents } from "@cloud/events";
import { openDatabase } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { testTelemetry } from "@cloud/testkit";
import type { LinkedRecords } from "../../test/chaos/linked-records/linked-records.ts";
import type { System } from "../../test/chaos/system/start-system.ts";
import type { SystemDatabases } from "../../test/chaos/system/system-databases.ts";

const BATCH = 1_000;

/**
 * Deletes linked environments as the environment service does while its relay is down: the row and an event of each.
 */
export async function writeBacklog(
  system: System,
  { query }: SystemDatabases,
  { environments }: LinkedRecords,
): Promise<void> {
  const { user } = system.demo.users;
  const organizationId = system.demo.organizations[0]?.id ?? "";
  await query("update environment.environments set deleted_at = now() where id = any($1)", [environments]);
  const { url } = system.serviceDatabaseUrls.environment;
  const { log } = testTelemetry();
  const db = openDatabase({ url, schema: "environment", applicationName: "bench", log });
  for (let from = 0; from < environments.length; from += BATCH) {
    const ids = environments.slice(from, from + BATCH);
    const events = ids.map((environmentId) => ({ environmentId, organizationId, actor: user.id }));
    await db.transaction((tx) => appendEvents(tx, EnvironmentDeletedSchema, events));
  }
  await db.close();
}
