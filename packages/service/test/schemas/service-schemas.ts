import type { Database } from "@cloud/postgres";
import { migrate } from "@cloud/postgres/migrations";
import { migrationsOf, rightsOf } from "@cloud/service";
import { createTestDatabase, openTestDatabase, testTelemetry } from "@cloud/testkit";
import { schema as environment } from "../../../../services/environment/src/service.ts";
import { schema as identity } from "../../../../services/identity/src/service.ts";
import { schema as workspace } from "../../../../services/workspace/src/service.ts";

const schemas = { identity, environment, workspace };

export const SERVICES = ["identity", "environment", "workspace"] as const;
export type Service = (typeof SERVICES)[number];

/** Opens a new database with the schema of a service as its owner; disposing of `resources` drops it. */
export async function openMigrated(service: Service, resources: AsyncDisposableStack): Promise<Database> {
  return (await openAsBoth(service, resources)).owner;
}

/** A schema as its owner uses it, and as the role of the program does, which has fewer rights. */
export interface Opened {
  readonly owner: Database;
  readonly program: Database;
}

/** Opens a migrated database like `openMigrated`, with both roles. */
export async function openAsBoth(service: Service, resources: AsyncDisposableStack): Promise<Opened> {
  const database = await createTestDatabase(service);
  resources.defer(() => database.drop());
  const { log } = testTelemetry();
  const rights = rightsOf(schemas[service], decodeURIComponent(new URL(database.url).username));
  const sources = migrationsOf(schemas[service]);
  await migrate({ url: database.ownerUrl, schema: service, log, sources, rights });
  const open = (url: string) => {
    // Seeding, and writers that queue, may take longer than a service waits.
    const db = openTestDatabase({ url, schema: service, log });
    resources.defer(() => db.close());
    return db;
  };
  return { owner: open(database.ownerUrl), program: open(database.url) };
}
