import { create } from "@bufbuild/protobuf";
import { newId, type OrganizationId, type TeamId, type WorkspaceId } from "@cloud/contract";
import { systemCaller } from "@cloud/contract/testing";
import { type Database, sql } from "@cloud/postgres";
import {
  SelectLinkedTeamsRequestSchema,
  SelectTeamsRequestSchema,
} from "@cloud/proto/identity/v1/directory_service_pb";
import type { EncodedReply } from "@cloud/rpc";
import type { Context as IdentityContext } from "../../services/identity/src/context.ts";
import { selectLinkedTeams } from "../../services/identity/src/directory/select-linked-teams.ts";
import { selectTeams } from "../../services/identity/src/directory/select-teams.ts";
import { softDeleteTeam } from "../../services/identity/src/teams/team-sql.ts";
import { deleteAssignment, insertOrLockAssignment } from "../../services/workspace/src/links/assignment-sql.ts";
import { selectLinkedIds } from "../../services/workspace/src/links/link-change-sql.ts";
import { selectLinkedPage } from "../../services/workspace/src/links/linked-page.ts";
import { selectLinkedWorkspace } from "../../services/workspace/src/links/linked-workspace-sql.ts";
import { openMigrated } from "../schemas/service-schemas.ts";

/** A list of the teams of a workspace. */
export interface TeamList {
  readonly assigned: boolean;
  readonly search?: string;
  readonly order?: string;
  readonly page?: number;
}

export interface Listed {
  readonly total: number;
  readonly names: readonly string[];
}

/** A workspace of an organization with many teams. */
export interface Place {
  readonly organizationId: OrganizationId;
  readonly workspaceId: WorkspaceId;
  /** `Team 1`, `Team 2` …, oldest first. */
  readonly teams: readonly TeamId[];
}

/** The two databases, and the two services' code between a list and its rows; a call is a call of the handler. */
export interface Stage {
  readonly workspace: Database;
  readonly identity: Database;
  /** How many lists were read by the ids of the links, and how many by identity's copy. */
  readonly calls: { ofIds: number; ofCopy: number };
  /** Creates a place, of whose teams the first `links` are linked. */
  newPlace(teams: number, links: number): Promise<Place>;
  list(place: Place, list: TeamList): Promise<Listed>;
  /** Returns the same by the ids of the links, as if there were few. */
  listByIds(place: Place, list: TeamList): Promise<Listed>;
  assign(place: Place, team: TeamId): Promise<void>;
  remove(place: Place, team: TeamId): Promise<void>;
  deleteTeam(team: TeamId): Promise<void>;
}

export async function openStage(resources: AsyncDisposableStack): Promise<Stage> {
  return stageOf(await openMigrated("workspace", resources), await openMigrated("identity", resources));
}

const PAGE_SIZE = 25n;

export function stageOf(
  workspace: Database,
  identity: Database,
  selectLinked: typeof selectLinkedTeams = selectLinkedTeams,
): Stage {
  const caller = systemCaller();
  const owner = { db: identity } as IdentityContext;
  const calls = { ofIds: 0, ofCopy: 0 };
  const pages = {
    team: {
      kind: "team" as const,
      ofIds: (request: object): Promise<EncodedReply> => {
        calls.ofIds++;
        return selectTeams(owner, caller, create(SelectTeamsRequestSchema, request));
      },
      ofCopy: (request: object): Promise<EncodedReply> => {
        calls.ofCopy++;
        return selectLinked(owner, caller, create(SelectLinkedTeamsRequestSchema, request));
      },
    },
  };
  return {
    workspace,
    identity,
    calls,
    newPlace: (teams, links) => insertPlace(workspace, identity, teams, links),
    list: async ({ workspaceId }, list) => {
      const linked = await selectLinkedWorkspace.team(workspace, workspaceId);
      if (linked === undefined) throw new Error("the workspace is unknown");
      return listed(await selectLinkedPage(workspace, pages.team, linked, queryOf(list)));
    },
    listByIds: async ({ organizationId, workspaceId }, list) => {
      const ids = (await selectLinkedIds(workspace, workspaceId, "team")).split(",");
      return listed(await pages.team.ofIds({ organizationId, ids, ...queryOf(list) }));
    },
    assign: (place, team) =>
      workspace.withTransaction(async (tx) => {
        await insertOrLockAssignment(tx, newId(), place.workspaceId, "team", team, 200_000);
      }),
    remove: (place, team) =>
      workspace.withTransaction(async (tx) => {
        await deleteAssignment(tx, place.workspaceId, "team", team);
      }),
    deleteTeam: (team) =>
      identity.withTransaction(async (tx) => {
        await softDeleteTeam(tx, team, null);
      }),
  };
}

function queryOf({ assigned, search = "", order = "", page = 0 }: TeamList) {
  return { assigned, search, order, page: BigInt(page), pageSize: PAGE_SIZE };
}

function listed(reply: EncodedReply): Listed {
  const { totalCount, teams } = reply.decode() as unknown as { totalCount: number; teams: { name: string }[] };
  return { total: totalCount, names: teams.map(({ name }) => name) };
}

async function insertPlace(workspace: Database, identity: Database, teams: number, links: number): Promise<Place> {
  const [organizationId, workspaceId] = [newId<OrganizationId>(), newId<WorkspaceId>()];
  for (const db of [workspace, identity])
    await db.query(sql`insert into organizations (id) values ($1)`, [organizationId]);
  await workspace.query(
    sql`insert into workspaces (id, organization_id, name, description, owner) values ($1, $2, '', '', '')`,
    [workspaceId, organizationId],
  );
  const { rows } = await identity.query<{ id: TeamId }>(
    sql`
      insert into teams (id, organization_id, name, created_at)
      select gen_random_uuid(), $1, 'Team ' || n, now() - ($2 - n) * interval '1 minute'
      from generate_series(1, $2::integer) n
      returning id`,
    [organizationId, teams],
  );
  const ids = rows.map(({ id }) => id);
  await workspace.query(
    sql`
      insert into assignments (id, workspace_id, kind, resource_id)
      select gen_random_uuid(), $1, 'team', unnest($2::uuid[])`,
    [workspaceId, ids.slice(0, links)],
  );
  return { organizationId, workspaceId, teams: ids };
}
