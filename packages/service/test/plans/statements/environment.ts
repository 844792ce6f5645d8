import * as connectionPages from "../../../../../services/environment/src/connections/sql.ts";
import * as credentials from "../../../../../services/environment/src/credentials/sql.ts";
import * as environments from "../../../../../services/environment/src/environments/sql.ts";
import * as links from "../../../../../services/environment/src/links/sql.ts";
import { idOf, packed } from "../seeds.ts";
import { byDate } from "./parameters.ts";
import type { PlannedStatement } from "./planned-statement.ts";

const byChange = { ...byDate, order: { column: "updated_at", direction: "asc" } } as const;
const byName = { ...byDate, order: { column: "name", direction: "asc" } } as const;
const selection = (assigned: boolean) => ({
  organizationId: idOf<never>(7),
  ids: packed([idOf(7)]),
  assigned,
  query: byDate,
});
const inOrganization = <Id extends string>(id: Id) => ({ id, organization_id: idOf<never>(7) });

export const environmentStatements: readonly PlannedStatement[] = [
  ["selectEnvironment", (tx) => environments.selectEnvironment(tx)(idOf(7)), "environments_pkey"],
  [
    "selectEnvironmentsOf",
    (tx) => environments.selectEnvironmentsOf(tx, [idOf(7)], byDate),
    "environments_by_created_at",
    "live_counts_pkey",
  ],
  [
    "selectEnvironmentsAmong",
    (tx) => environments.selectEnvironmentPageAmong(tx, selection(true)),
    "environments_pkey",
  ],
  [
    "selectEnvironmentsAmong, the others",
    (tx) => environments.selectEnvironmentPageAmong(tx, selection(false)),
    "environments_by_created_at",
    "environments_pkey",
    "live_counts_pkey",
  ],
  [
    "selectCredentialsOf",
    (tx) => credentials.selectCredentialsOf(tx, [idOf(7)], byDate),
    "credentials_by_created_at",
    "live_counts_pkey",
  ],
  [
    "selectConnectionsOf",
    (tx) => connectionPages.selectConnectionsOf(tx, [idOf(7)], byDate),
    "connections_by_created_at",
    "live_counts_pkey",
  ],
  [
    "selectConnectionsIn",
    (tx) => connectionPages.selectConnectionsIn(tx, inOrganization(idOf(7)), byDate),
    "connections_pkey",
    "environment_connections_pair",
  ],
  [
    "selectConnectionsNotIn by date",
    (tx) => connectionPages.selectConnectionsNotIn(tx, inOrganization(idOf(7)), byDate),
    "connections_by_created_at",
    "connections_pkey",
    "environment_connections_pair",
    "live_counts_pkey",
  ],
  [
    "selectConnectionsNotIn by change",
    (tx) => connectionPages.selectConnectionsNotIn(tx, inOrganization(idOf(7)), byChange),
    "connections_by_updated_at",
    "connections_pkey",
    "environment_connections_pair",
    "live_counts_pkey",
  ],
  [
    "selectConnectionsNotIn by name",
    (tx) => connectionPages.selectConnectionsNotIn(tx, inOrganization(idOf(7)), byName),
    "connections_by_name",
    "connections_pkey",
    "environment_connections_pair",
    "live_counts_pkey",
  ],
  ["clearCredential", (tx) => credentials.clearCredential(tx, idOf(7)), "connections_by_credential"],
  [
    "selectEnvironmentIdsOfConnection",
    (tx) => links.selectEnvironmentIdsOfConnection(tx, idOf(7)),
    "connections_pkey",
    "environment_connections_by_connection",
    "environments_pkey",
  ],
  [
    "deleteLinksOfEnvironment",
    (tx) => links.deleteLinksOfEnvironment(tx, idOf(7)),
    "environment_connections_pair",
    "environment_connections_pkey",
  ],
  [
    "deleteLinksOfConnection",
    (tx) => links.deleteLinksOfConnection(tx, idOf(7)),
    "environment_connections_by_connection",
    "environment_connections_pkey",
  ],
];
