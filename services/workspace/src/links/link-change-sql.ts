import type { WorkspaceId } from "@cloud/contract";
import { oneRow, type Sql, sql } from "@cloud/postgres";
import type { Position } from "./link-state.ts";
import { linkState } from "./linked-workspace-sql.ts";
import type { ReferenceKind } from "./reference-sql.ts";

/** The links that have changed, by their present state. Ids take 16 bytes each. */
export interface LinkChangesRow {
  /** As of `LinkedWorkspaceRow`. */
  readonly link_state: string | null;
  readonly linked: Buffer;
  readonly unlinked: Buffer;
}

// The full join finds slots that the position has and the workspace has not: it is of another database.
const selectChanges = sql`
  with states as (
    select slot, changes, links, hash
    from link_states
    where workspace_id = $1 and kind = $2
  ), behind as (
    select slot, coalesce(known.changes, 0) as known, coalesce(states.changes, 0) - coalesce(known.changes, 0) as missing
    from states
    full join unnest($3::integer[], $4::bigint[]) as known (slot, changes) using (slot)
  ), changed as (
    select resource_id
    from behind
    join link_changes using (slot)
    where missing > 0 and workspace_id = $1 and kind = $2 and number > known
  ), present as (
    select ids.resource_id, assignments.id is not null as is_linked
    from (select distinct resource_id from changed) ids
    left join assignments on workspace_id = $1 and kind = $2 and assignments.resource_id = ids.resource_id
  )
  select ${linkState(sql`states`)} as link_state,
    (select bool_and(missing >= 0) and sum(missing) = (select count(*) from changed) from behind) as are_all,
    coalesce((select string_agg(uuid_send(resource_id), '') from present where is_linked), '') as linked,
    coalesce((select string_agg(uuid_send(resource_id), '') from present where not is_linked), '') as unlinked`;

/**
 * Returns the links that have changed since a position, of one snapshot; undefined if not all changes are kept, or the
 * position is of another database.
 */
export async function selectLinkChanges(
  db: Sql,
  workspaceId: WorkspaceId,
  kind: ReferenceKind,
  { slots, changes }: Position,
): Promise<LinkChangesRow | undefined> {
  const result = await db.query<LinkChangesRow & { are_all: boolean }>(selectChanges, [
    workspaceId,
    kind,
    slots,
    changes,
  ]);
  const { are_all: areAll, ...row } = oneRow(result);
  return areAll ? row : undefined;
}

const selectAll = sql`
  select ${linkState(sql`link_states where workspace_id = $1 and kind = $2`)} as link_state, ''::bytea as unlinked,
    (
      select coalesce(string_agg(uuid_send(resource_id), ''), '')
      from assignments
      where workspace_id = $1 and kind = $2
    ) as linked`;

/** Returns the ids of all links, with commas between them. */
export async function selectLinkedIds(db: Sql, workspaceId: WorkspaceId, kind: ReferenceKind): Promise<string> {
  const text = sql`
    select coalesce(string_agg(resource_id::text, ','), '') as ids
    from assignments
    where workspace_id = $1 and kind = $2`;
  return oneRow(await db.query<{ ids: string }>(text, [workspaceId, kind])).ids;
}

/** Returns all links, of one snapshot. */
export async function selectAllLinks(db: Sql, workspaceId: WorkspaceId, kind: ReferenceKind): Promise<LinkChangesRow> {
  return oneRow(await db.query<LinkChangesRow & Record<string, unknown>>(selectAll, [workspaceId, kind]));
}
