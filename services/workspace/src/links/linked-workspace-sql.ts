import type { OrganizationId, WorkspaceId } from "@cloud/contract";
import { type Sql, type SqlText, sql } from "@cloud/postgres";
import { liveRecords } from "@cloud/service";
import type { ReferenceKind } from "./reference-sql.ts";

/** A workspace with its links of a kind. */
export interface LinkedWorkspaceRow {
  readonly id: WorkspaceId;
  readonly organization_id: OrganizationId;
  /** Of the links, `<count> <hash> <position>`; null if there never was one. */
  readonly link_state: string | null;
  /** Ids with commas between them, empty for none; null for more than 1,000. */
  readonly resource_ids: string | null;
}

/** Returns the live workspace, by a statement that calls share; undefined if it is not live. */
type SelectLinkedWorkspace = (db: Sql, id: WorkspaceId) => Promise<LinkedWorkspaceRow | undefined>;

/** Describes links by their states of all slots; `states` is a table expression. */
export const linkState = (states: SqlText) => sql`
  (
    select sum(links) || ' ' || sum(hash) || ' ' || string_agg(slot || ':' || changes, ',' order by slot)
    from ${states}
  )`;

/** As one text, because pg parses an array character by character. */
const linked = (kind: SqlText) => {
  const states = sql`link_states where workspace_id = workspaces.id and kind = ${kind}`;
  return liveRecords<LinkedWorkspaceRow>(
    sql`workspaces`,
    sql`
      id, organization_id, ${linkState(states)} as link_state,
      case when (select coalesce(sum(links), 0) from ${states}) <= 1000 then (
        select coalesce(string_agg(resource_id::text, ','), '')
        from assignments
        where workspace_id = workspaces.id and kind = ${kind}
      ) end as resource_ids`,
  ).select;
};

/** The two kinds whose records other services own. */
export const selectLinkedWorkspace: Readonly<Record<ReferenceKind, SelectLinkedWorkspace>> = {
  environment: linked(sql`'environment'`),
  team: linked(sql`'team'`),
};
