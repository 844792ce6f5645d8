import { create } from "@bufbuild/protobuf";
import { type SqlText, sql, statement, type Tx } from "@cloud/postgres";
import { UpdateConnectionRequestSchema } from "@cloud/proto/environment/v1/connection_service_pb";
import { parseConnectionChanges } from "../../../../services/environment/src/connections/rules.ts";
import * as connections from "../../../../services/environment/src/connections/sql.ts";
import * as credentials from "../../../../services/environment/src/credentials/sql.ts";
import * as environments from "../../../../services/environment/src/environments/sql.ts";
import * as invitations from "../../../../services/identity/src/invitations/sql.ts";
import { replaceRoles } from "../../../../services/identity/src/memberships/sql.ts";
import { softDeleteTeams } from "../../../../services/identity/src/organizations/deletion-sql.ts";
import * as organizations from "../../../../services/identity/src/organizations/sql.ts";
import * as preferences from "../../../../services/identity/src/selections/preferences-sql.ts";
import * as teams from "../../../../services/identity/src/teams/sql.ts";
import { updateTokenRevoked } from "../../../../services/identity/src/tokens/sql.ts";
import * as items from "../../../../services/workspace/src/library/sql.ts";
import { designs, views } from "../../../../services/workspace/src/library/sql.ts";
import * as workspaces from "../../../../services/workspace/src/workspaces/sql.ts";
import { idOf } from "../plans/seeds.ts";
import type { Service } from "../schemas/service-schemas.ts";

/** A statement that updates a record, and the table, which has that record only. */
type Update = readonly [name: string, table: SqlText, run: (tx: Tx) => unknown];

const id = idOf<never>(1);
const other = idOf<never>(2);
const name = { name: "b", description: undefined };
const connectionName = parseConnectionChanges(create(UpdateConnectionRequestSchema, { name: "b" }));

export const updates: Readonly<Record<Service, readonly Update[]>> = {
  identity: [
    [
      "updateOrganizationFields",
      sql`organizations`,
      (tx) => organizations.updateOrganizationFields(tx, id, { name: "b" }, null),
    ],
    ["softDeleteOrganization", sql`organizations`, (tx) => organizations.softDeleteOrganization(tx, id)],
    ["updateTeamFields", sql`teams`, (tx) => teams.updateTeamFields(tx, id, { name: "b" }, null)],
    ["softDeleteTeam", sql`teams`, (tx) => teams.softDeleteTeam(tx, id, null)],
    ["softDeleteTeams", sql`teams`, (tx) => softDeleteTeams(tx, [id])],
    ["updateTokenRevoked", sql`tokens`, (tx) => updateTokenRevoked(tx, id)],
    [
      "updateSelection",
      sql`preferences`,
      (tx) => preferences.updateSelection(tx, id, { organizationId: null, workspace: null }),
    ],
    ["clearSelectionsOfWorkspaces", sql`preferences`, (tx) => preferences.clearSelectionsOfWorkspaces(tx, [id])],
    ["clearSelectionsOfOrganization", sql`preferences`, (tx) => preferences.clearSelectionsOfOrganization(tx, id)],
    [
      "updatePendingInvitation",
      sql`invitations`,
      (tx) => invitations.updatePendingInvitation(tx, id, "declined", { tags: null }),
    ],
    ["revokeInvitationsOf", sql`invitations`, (tx) => invitations.revokeInvitationsOf(tx, id, id)],
    [
      "updateExpiredInvitationsOf",
      sql`invitations`,
      (tx) => expire(tx, () => invitations.updateExpiredInvitationsOf(tx, id)),
    ],
    [
      "updateExpiredInvitations",
      sql`invitations`,
      (tx) => expire(tx, () => invitations.updateExpiredInvitations(tx, 1)),
    ],
    ["replaceRoles", sql`members`, (tx) => replaceRoles(tx, id, id, ["Org Admin"])],
  ],
  environment: [
    [
      "updateEnvironmentFields",
      sql`environments`,
      (tx) => environments.updateEnvironmentFields(tx, id, { name: "b", description: "", metadata: undefined }, null),
    ],
    ["softDelete of environments", sql`environments`, (tx) => environments.environmentDeletion.softDelete(tx, id)],
    [
      "updateConnectionFields",
      sql`connections`,
      (tx) => connections.updateConnectionFields(tx, id, { ...connectionName, credentialId: undefined }, null),
    ],
    ["clearCredential", sql`connections`, (tx) => credentials.clearCredential(tx, id)],
  ],
  workspace: [
    [
      "updateWorkspaceFields",
      sql`workspaces`,
      (tx) => workspaces.updateWorkspaceFields(tx, id, { ...name, metadata: undefined }, null),
    ],
    ["softDelete of workspaces", sql`workspaces`, (tx) => workspaces.workspaceDeletion.softDelete(tx, id)],
    ...[designs, views].flatMap((kind): Update[] => [
      [
        `updateItemFields of a ${kind.name}`,
        kind.table,
        (tx) => items.updateItemFields(tx, kind, id, { ...name, visibility: undefined }, null),
      ],
      [`moveItem of a ${kind.name}`, kind.table, (tx) => items.moveItem(tx, kind, id, other)],
      [`softDelete of a ${kind.name}`, kind.table, (tx) => kind.softDelete(tx, id)],
    ]),
  ],
};

async function expire(tx: Tx, update: () => Promise<unknown>): Promise<void> {
  await tx.query(statement`update invitations set expires_at = now() - interval '1 day'`);
  await update();
}

/** Statements by service that insert a record into each table. */
export const records: Readonly<Record<Service, readonly SqlText[]>> = {
  identity: [
    sql`insert into users (id, email) select lpad('1', 32, '0')::uuid, 'a@example.test'`,
    sql`insert into organizations (id, owner) select id, id from users`,
    sql`insert into memberships (organization_id, user_id, role_name) select id, id, 'User' from users`,
    sql`insert into teams (id, organization_id) select id, id from users`,
    sql`insert into tokens (id, user_id, digest, hint) select id, id, sha256('a'), '' from users`,
    sql`insert into workspace_references (id, organization_id) select id, id from users`,
    sql`
      insert into preferences (user_id, selected_organization, selected_workspace)
      select id, id, id
      from users`,
    sql`
      insert into invitations (id, organization_id, user_id, role_names, expires_at)
      select id, id, id, '{User}', now() + interval '1 day'
      from users`,
  ],
  environment: [
    sql`insert into organizations (id) select lpad('1', 32, '0')::uuid`,
    sql`insert into environments (id, organization_id, name, description) select id, id, '', '' from organizations`,
    sql`insert into credentials (id, organization_id, name, type) select id, id, '', '' from organizations`,
    sql`
      insert into connections (id, organization_id, name, description, kind, type, status, credential_id)
      select id, id, '', '', '', '', '', id
      from organizations`,
  ],
  workspace: [
    sql`insert into organizations (id) select lpad(n::text, 32, '0')::uuid from generate_series(1, 2) n`,
    sql`
      insert into workspaces (id, organization_id, name, description, owner)
      select id, id, '', '', ''
      from organizations
      order by id
      limit 1`,
    sql`
      insert into designs (id, organization_id, name, description, owner, visibility)
      select id, id, '', '', '', 'public'
      from workspaces`,
    sql`insert into views select * from designs`,
  ],
};
