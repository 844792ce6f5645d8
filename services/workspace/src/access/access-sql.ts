import type { Sql } from "@cloud/postgres";
import { oneRow } from "@cloud/postgres";
import type { AssignmentKindName } from "../assignments/assignment-kind.ts";

interface Answer {
  reached: boolean;
}

/** Whether one of the teams is in the live workspace. */
export async function selectTeamsReachWorkspace(
  sql: Sql,
  teamIds: readonly string[],
  workspaceId: string,
): Promise<boolean> {
  const result = await sql.query<Answer>(
    "select exists (select 1 from workspaces join assignments team on team.workspace_id = workspaces.id " +
      "where workspaces.id = $2 and deleted_at is null and team.kind = 'team' and team.resource_id = any($1)) as reached",
    [teamIds, workspaceId],
  );
  return oneRow(result).reached;
}

/** Whether one of the teams is in a live workspace that one of the resources is in too. */
export async function selectTeamsReachResources(
  sql: Sql,
  teamIds: readonly string[],
  kind: AssignmentKindName,
  resourceIds: readonly string[],
): Promise<boolean> {
  const result = await sql.query<Answer>(
    "select exists (select 1 from workspaces join assignments team on team.workspace_id = workspaces.id " +
      "join assignments resource on resource.workspace_id = workspaces.id " +
      "where deleted_at is null and team.kind = 'team' and team.resource_id = any($1) " +
      "and resource.kind = $2 and resource.resource_id = any($3)) as reached",
    [teamIds, kind, resourceIds],
  );
  return oneRow(result).reached;
}
