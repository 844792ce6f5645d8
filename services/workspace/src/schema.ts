import { fileURLToPath } from "node:url";
import { type PurgedTable, statement } from "@cloud/postgres";
import type { ServiceSchema } from "@cloud/service";

const purgedLog: PurgedTable = {
  name: "activity_events",
  deleteNext: statement`
    select deleted, last
    from purge_activity_events($1, $2, $3)`,
  countOld: statement`
    select count(*)::float8 as count
    from activity_events
    where created_at < now() - make_interval(days => $1::integer)`,
};

/** The schema of the service. The activity log is never changed; and only triggers count links. */
export const schema: ServiceSchema = {
  name: "workspace",
  migrations: fileURLToPath(new URL("../migrations", import.meta.url)),
  appendOnly: ["activity_events"],
  logs: [purgedLog],
  readOnly: ["link_states", "link_changes"],
};
