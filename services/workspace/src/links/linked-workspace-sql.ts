import type { OrganizationId, WorkspaceId } from "@cloud/access/values";
import { type Reader, type SqlText, sql } from "@cloud/postgres";
import { liveRecords } from "@cloud/service/records";
import type { PeerResource } from "./reference-sql.ts";

/** A workspace with its links of a kind. */
export interface LinkedWorkspaceRow {
  readonly id: WorkspaceId;
  readonly organization_id: OrganizationId;
  /** The ids of the linked resources, 16 bytes each; null for none. */
  readonly resource_ids: Buffer | null;
}

/** Returns the read of workspaces with their links: as bytes, because pg parses an array character by character. */
const linked = (kind: SqlText) =>
  liveRecords<LinkedWorkspaceRow>(
    sql`workspaces`,
    sql`
      id, organization_id, (
        select string_agg(uuid_send(resource_id), '')
        from assignments
        where workspace_id = workspaces.id and kind = ${kind}
      ) as resource_ids`,
  ).selectShared;

const selectLinked = { environment: linked(sql`'environment'`), team: linked(sql`'team'`) };

/** Returns the live workspace; undefined if it is not live. */
type SelectLinkedWorkspace = (id: WorkspaceId) => Promise<LinkedWorkspaceRow | undefined>;

/** Returns the reads of a workspace with its links, of the two kinds whose records other services own. */
export const selectLinkedWorkspace = (db: Reader): Readonly<Record<PeerResource, SelectLinkedWorkspace>> => ({
  environment: selectLinked.environment(db),
  team: selectLinked.team(db),
});
