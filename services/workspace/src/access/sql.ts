import { oneRow, type Reader, statement } from "@cloud/postgres";
import type { ResourceType } from "../resource-type.ts";

const teamsReachWorkspace = statement<{ reached: boolean }>`
  select exists (
    select 1
    from workspaces
    join assignments team on team.workspace_id = workspaces.id
    where workspaces.id = $2
      and deleted_at is null
      and team.kind = 'team'
      and team.resource_id = any($1)
  ) as reached`;

/** Returns whether one of the teams is linked to the live workspace. */
export async function selectTeamsReachWorkspace(
  db: Reader,
  teamIds: readonly string[],
  workspaceId: string,
): Promise<boolean> {
  const result = await db.read(teamsReachWorkspace, [teamIds, workspaceId]);
  return oneRow(result).reached;
}

const teamsReachResources = statement<{ reached: boolean }>`
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
  ) as reached`;

/** Returns whether a live workspace has links to both one of the teams and one of the resources. */
export async function selectTeamsReachResources(
  db: Reader,
  teamIds: readonly string[],
  kind: ResourceType,
  resourceIds: readonly string[],
): Promise<boolean> {
  const result = await db.read(teamsReachResources, [teamIds, kind, resourceIds]);
  return oneRow(result).reached;
}
