import { uuidv7 as newId } from "uuidv7";
import { authenticate, requirePermission } from "./authenticate.ts";
import type { Database, Query, Statement } from "./database.ts";
import type { FastifyInstance } from "./fastify.ts";
import { requireWorkspace } from "./reads.ts";
import { type AssignmentRow, assignmentToJson, type WorkspaceRow, workspaceToJson } from "./records.ts";
import { Refused } from "./refused.ts";
import { schemas } from "./schemas.ts";

const lockOrganization: Statement = {
  name: "lock-organization",
  text: "select 1 from organizations where id = $1 and deleted_at is null for share",
};

const lockWorkspace: Statement = {
  name: "lock-workspace",
  text: "select 1 from workspaces where id = $1 and deleted_at is null for share",
};

const lockTeam: Statement = {
  name: "lock-team",
  text: "select 1 from teams where id = $1 and organization_id = $2 and deleted_at is null for share",
};

const insertWorkspace: Statement = {
  name: "insert-workspace",
  text: `
    insert into workspaces (id, organization_id, name, description, owner, metadata)
    values ($1, $2, $3, $4, $5, $6)
    returning id, organization_id, name, description, owner, metadata, created_at, updated_at, deleted_at, etag`,
};

const insertLink: Statement = {
  name: "insert-link",
  text: `
    insert into assignments (id, workspace_id, kind, resource_id)
    values ($1, $2, 'team', $3)
    on conflict (workspace_id, kind, resource_id) do update
    set updated_at = assignments.updated_at
    returning id, workspace_id, resource_id, created_at, updated_at, xmax = 0 as is_new`,
};

const deleteLink: Statement = {
  name: "delete-link",
  text: "delete from assignments where workspace_id = $1 and kind = 'team' and resource_id = $2 returning id",
};

const insertActivity: Statement = {
  name: "insert-activity",
  text: `
    insert into activity_events
      (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, created_at)
    values ($1, $2, $3, $4, $5, 'success', $6, $7, $8, clock_timestamp())`,
};

const insertEvent: Statement = {
  name: "insert-event",
  text: `
    with events as (
      insert into outbox (subject, type, payload)
      values ($1, $2, $3)
    )
    select pg_notify('outbox_monolith', '')`,
};

interface Link {
  readonly workspace: WorkspaceRow;
  readonly userId: string;
  readonly teamId: string;
}

export function addWrites(app: FastifyInstance, { query, transaction }: Database): void {
  const requireLink = async (
    { id, teamId }: { id: string; teamId: string },
    authorization: string | undefined,
    permission: string,
  ): Promise<Link> => {
    const caller = await authenticate(query, authorization);
    const workspace = await requireWorkspace(query, id);
    requirePermission(caller, workspace.organization_id, permission);
    return { workspace, userId: caller.userId, teamId };
  };

  app.post<{ Body: { organizationId: string; name: string; description: string; metadata?: object } }>(
    "/api/workspaces",
    { schema: schemas.create },
    async ({ headers, body }, reply) => {
      const { organizationId, name, description, metadata = {} } = body;
      const { userId, permissions } = await authenticate(query, headers.authorization);
      if (permissions.get(organizationId)?.has("Create Workspace") !== true)
        throw new Refused(403, "PERMISSION_DENIED");
      const workspace = await transaction(async (tx) => {
        await requireRow(tx, lockOrganization, [organizationId], "ORGANIZATION_NOT_FOUND");
        const values = [newId(), organizationId, name, description, userId, JSON.stringify(metadata)];
        const [created] = await tx<WorkspaceRow>(insertWorkspace, values);
        if (created === undefined) throw new TypeError("nothing was inserted");
        const said = ["create", "The workspace was created.", created.id, "workspace"];
        await tx(insertActivity, [newId(), created.id, organizationId, userId, ...said]);
        return created;
      });
      reply.code(201);
      return workspaceToJson(workspace);
    },
  );

  app.post<{ Params: { id: string; teamId: string } }>(
    "/api/workspaces/:id/teams/:teamId",
    { schema: schemas.assign },
    async ({ headers, params }) => {
      const link = await requireLink(params, headers.authorization, "Assign team to workspace");
      const { workspace, teamId } = link;
      const assignment = await transaction(async (tx) => {
        await requireRow(tx, lockWorkspace, [workspace.id], "WORKSPACE_NOT_FOUND");
        await requireRow(tx, lockTeam, [teamId, workspace.organization_id], "TEAM_NOT_FOUND");
        const values = [newId(), workspace.id, teamId];
        const [made] = await tx<AssignmentRow & { is_new: boolean }>(insertLink, values);
        if (made === undefined) throw new TypeError("nothing was inserted");
        await log(tx, link, "assign", "The team was assigned to the workspace.");
        if (made.is_new) await publish(tx, link, "ResourceAssigned");
        return made;
      });
      return assignmentToJson(assignment);
    },
  );

  app.delete<{ Params: { id: string; teamId: string } }>(
    "/api/workspaces/:id/teams/:teamId",
    { schema: schemas.remove },
    async ({ headers, params }, reply) => {
      const link = await requireLink(params, headers.authorization, "Remove team from workspace");
      await transaction(async (tx) => {
        await requireRow(tx, lockWorkspace, [link.workspace.id], "WORKSPACE_NOT_FOUND");
        await requireRow(tx, deleteLink, [link.workspace.id, link.teamId], "TEAM_ASSIGNMENT_NOT_FOUND");
        await log(tx, link, "unassign", "The team was removed from the workspace.");
        await publish(tx, link, "ResourceUnassigned");
      });
      reply.code(204);
    },
  );
}

async function requireRow(tx: Query, statement: Statement, values: readonly unknown[], code: string): Promise<void> {
  if ((await tx(statement, values)).length === 0) throw new Refused(404, code);
}

async function log(tx: Query, { workspace, userId, teamId }: Link, action: string, said: string): Promise<void> {
  const { id, organization_id } = workspace;
  await tx(insertActivity, [newId(), id, organization_id, userId, action, said, teamId, "team"]);
}

async function publish(tx: Query, { workspace, userId, teamId }: Link, type: string): Promise<void> {
  const event = { workspaceId: workspace.id, organizationId: workspace.organization_id, resourceKind: "team" };
  const payload = Buffer.from(JSON.stringify({ ...event, resourceId: teamId, actor: userId }));
  await tx(insertEvent, [`monolith.${type}`, type, payload]);
}
