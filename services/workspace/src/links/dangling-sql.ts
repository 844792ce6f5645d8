import type { OrganizationId, WorkspaceId } from "@cloud/access/values";
import { type Reader, type SqlText, sql, statement, type Tx } from "@cloud/postgres";
import { liveRecords } from "@cloud/service/records";
import type { ResourceType } from "../resource-type.ts";
import type { PeerResource } from "./reference-sql.ts";

/** A link with a deleted end that this service owns. The workspace is null if it is the deleted end. */
export interface DanglingLink {
  readonly kind: ResourceType;
  readonly resource_id: string;
  readonly workspace_id: WorkspaceId | null;
  readonly organization_id: OrganizationId | null;
}

const selectAfter = statement<{ id: string }>`
  select id
  from assignments
  where $1 = '' or id > nullif($1, '')::uuid
  order by id
  limit $2`;

const deleteDangling = statement<DanglingLink>`
  with dangling as (
    select a.id, w.id as workspace_id, w.organization_id
    from assignments a
      left join workspaces w on w.id = a.workspace_id and w.deleted_at is null
      left join designs d on a.kind = 'design' and d.id = a.resource_id and d.deleted_at is null
      left join views v on a.kind = 'view' and v.id = a.resource_id and v.deleted_at is null
    where a.id = any($1)
      and (w.id is null or (a.kind = 'design' and d.id is null) or (a.kind = 'view' and v.id is null))
  )
  delete from assignments
  using dangling
  where assignments.id = dangling.id
  returning assignments.kind, assignments.resource_id, dangling.workspace_id, dangling.organization_id`;

/**
 * Checks the next `limit` links after `after`, in the order of their ids, and deletes the dangling ones. Returns them,
 * and the last link checked: empty at the end of the table.
 */
export async function deleteDanglingLinksAfter(
  tx: Tx,
  after: string,
  limit: number,
): Promise<{ ended: DanglingLink[]; last: string }> {
  const { rows: page } = await tx.query(selectAfter, [after, limit]);
  const ids = page.map(({ id }) => id);
  const { rows: ended } = await tx.query(deleteDangling, [ids]);
  return { ended, last: page.length < limit ? "" : (page.at(-1)?.id ?? "") };
}

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
