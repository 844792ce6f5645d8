import { type Database, migrate, openDatabase } from "@cloud/postgres";
import { migrationsOf } from "@cloud/service";
import { createTestDatabase, testTelemetry } from "@cloud/testkit";
import { schema as environment } from "../../services/environment/src/schema.ts";
import { schema as identity } from "../../services/identity/src/schema.ts";
import { schema as workspace } from "../../services/workspace/src/schema.ts";

const schemas = { identity, environment, workspace };

export const SERVICES = ["identity", "environment", "workspace"] as const;
export type Service = (typeof SERVICES)[number];

/** Opens a new database with the schema of a service; disposing of `resources` drops it. */
export async function openMigrated(service: Service, resources: AsyncDisposableStack): Promise<Database> {
  const database = await createTestDatabase(service);
  resources.defer(() => database.drop());
  const { log } = testTelemetry();
  const place = { url: database.ownerUrl, schema: service, log };
  await migrate({ ...place, sources: migrationsOf(schemas[service]) });
  // Seeding may take longer than a statement of a service may.
  const db = openDatabase({ ...place, applicationName: "schemas", statementTimeoutMs: 60_000 });
  resources.defer(() => db.close());
  return db;
}
