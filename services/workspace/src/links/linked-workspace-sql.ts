import type { OrganizationId, WorkspaceId } from "@cloud/contract";
import { type Sql, type SqlText, sql } from "@cloud/postgres";
import { liveRecords } from "@cloud/service";

/** A workspace with the resources of a kind that are linked to it. */
interface LinkedWorkspaceRow {
  readonly id: WorkspaceId;
  readonly organization_id: OrganizationId;
  /** Ids with commas between them; null for none. */
  readonly resource_ids: string | null;
}

/** Returns the live workspace, by a statement that calls share; undefined if it is not live. */
type SelectLinkedWorkspace = (db: Sql, id: WorkspaceId) => Promise<LinkedWorkspaceRow | undefined>;

/** As one text, because pg parses an array character by character. */
const linked = (kind: SqlText) =>
  liveRecords<LinkedWorkspaceRow>(
    sql`workspaces`,
    sql`
      id, organization_id,
      (
        select string_agg(resource_id::text, ',')
        from assignments
        where workspace_id = workspaces.id and kind = ${kind}
      ) as resource_ids`,
  ).select;

/** The two kinds whose records other services own. */
export const selectLinkedWorkspace: Readonly<Record<"environment" | "team", SelectLinkedWorkspace>> = {
  environment: linked(sql`'environment'`),
  team: linked(sql`'team'`),
};
