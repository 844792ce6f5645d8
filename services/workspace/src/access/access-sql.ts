import type { Sql } from "@cloud/postgres";
import { oneRow, sql } from "@cloud/postgres";
import type { ResourceKind } from "../resource-kind.ts";

/** Returns whether one of the teams is linked to the live workspace. */
export async function selectTeamsReachWorkspace(
  db: Sql,
  teamIds: readonly string[],
  workspaceId: string,
): Promise<boolean> {
  const result = await db.query<{ reached: boolean }>(
    sql`
      select exists (
        select 1
        from workspaces
        join assignments team on team.workspace_id = workspaces.id
        where workspaces.id = $2
          and deleted_at is null
          and team.kind = 'team'
          and team.resource_id = any($1)
      ) as reached`,
    [teamIds, workspaceId],
  );
  return oneRow(result).reached;
}

/** Returns whether a live workspace has links to both one of the teams and one of the resources. */
export async function selectTeamsReachResources(
  db: Sql,
  teamIds: readonly string[],
  kind: ResourceKind,
  resourceIds: readonly string[],
): Promise<boolean> {
  const result = await db.query<{ reached: boolean }>(
    sql`
      select exists (
        select 1
        from workspaces
        join assignments team on team.workspace_id = workspaces.id
        join assignments resource on resource.workspace_id = workspaces.id
        where deleted_at is null
          and team.kind = 'team'
          and team.resource_id = any($1)
          and resource.kind = $2
          and resource.resource_id = any($3)
      ) as reached`,
    [teamIds, kind, resourceIds],
  );
  return oneRow(result).reached;
}
