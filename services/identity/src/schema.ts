import { fileURLToPath } from "node:url";
import { type PurgedTable, statement } from "@cloud/postgres";
import type { ServiceSchema } from "@cloud/service";

const purgedLog: PurgedTable = {
  name: "audit_events",
  deleteNext: statement`
    select deleted, last
    from purge_audit_events($1, $2, $3)`,
  countOld: statement`
    select count(*)::float8 as count
    from audit_events
    where created_at < now() - make_interval(days => $1::integer)`,
};

/** The schema of the service. Which role has which permission is decided by migrations. */
export const schema: ServiceSchema = {
  name: "identity",
  migrations: fileURLToPath(new URL("../migrations", import.meta.url)),
  appendOnly: ["audit_events"],
  logs: [purgedLog],
  readOnly: ["roles", "permissions", "role_permissions", "members"],
};
