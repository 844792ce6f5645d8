import type { Database, Tx } from "@cloud/postgres";
import { sql } from "@cloud/postgres";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { deleteBegunTries } from "../../packages/messaging/src/consumer/begun-tries-sql.ts";
import { selectIsReceived } from "../../packages/messaging/src/consumer/inbox-sql.ts";
import {
  claimEvents,
  markPublished,
  selectBacklog,
  unpublishLostEvents,
} from "../../packages/messaging/src/relay/outbox-sql.ts";
import { purge } from "../../packages/messaging/src/relay/purge.ts";
import { deleteOldUsage } from "../../packages/service/src/rate-limits/usage-sql.ts";
import { selectRecordStates } from "../../packages/service/src/records/record-states-sql.ts";
import * as connectionPages from "../../services/environment/src/connections/connection-pages-sql.ts";
import * as credentials from "../../services/environment/src/credentials/credential-sql.ts";
import * as environments from "../../services/environment/src/environments/environment-sql.ts";
import * as links from "../../services/environment/src/links/assignment-sql.ts";
import * as audit from "../../services/identity/src/audit/audit-event-sql.ts";
import { selectIdentities } from "../../services/identity/src/authentication/identity-sql.ts";
import * as curricula from "../../services/identity/src/curricula/curriculum-sql.ts";
import * as invitationPages from "../../services/identity/src/invitations/invitation-pages-sql.ts";
import * as invitations from "../../services/identity/src/invitations/invitation-sql.ts";
import * as admins from "../../services/identity/src/memberships/admin-sql.ts";
import * as memberships from "../../services/identity/src/memberships/membership-sql.ts";
import * as organizations from "../../services/identity/src/organizations/organization-sql.ts";
import * as preferences from "../../services/identity/src/selections/preferences-sql.ts";
import * as members from "../../services/identity/src/teams/team-member-sql.ts";
import * as teams from "../../services/identity/src/teams/team-sql.ts";
import * as tokens from "../../services/identity/src/tokens/token-sql.ts";
import * as users from "../../services/identity/src/users/user-sql.ts";
import * as access from "../../services/workspace/src/access/access-sql.ts";
import * as activity from "../../services/workspace/src/activity/activity-sql.ts";
import * as library from "../../services/workspace/src/library/item-pages-sql.ts";
import { designs } from "../../services/workspace/src/library/library-kind.ts";
import * as assignments from "../../services/workspace/src/links/assignment-sql.ts";
import { selectLinkedWorkspace } from "../../services/workspace/src/links/linked-workspace-sql.ts";
import * as workspaces from "../../services/workspace/src/workspaces/workspace-sql.ts";
import { openMigrated, type Service } from "../schemas/service-schemas.ts";
import { scansOf } from "./scans-of.ts";
import { idOf, seeds } from "./seeds.ts";

const byDate = { search: "", order: { column: "created_at", direction: "desc" }, page: 0, pageSize: 25 } as const;
const byChange = { ...byDate, order: { column: "updated_at", direction: "asc" } } as const;
const byName = { ...byDate, order: { column: "name", direction: "asc" } } as const;
const lostStream = { createdAt: "2026", firstSequence: 1, lastSequence: 30_000, deletedCount: 0, keepsMessages: true };
const selection = (assigned: boolean) => ({
  organizationId: idOf<never>(7),
  ids: [idOf<never>(7)],
  assigned,
  query: byDate,
});
const inOrganization = <Id extends string>(id: Id) => ({ id, organization_id: idOf<never>(7) });

/**
 * The statements that requests and events wait for, and the indexes that find their rows. One reads a whole table on
 * purpose: a purge that finds its 1,000 rows by an index and joins them to an outbox of few pages. The lists that may be
 * large are executed in large-lists.int.test.ts.
 */
const statements: Readonly<Record<Service, readonly (readonly [string, (tx: Tx) => Promise<unknown>, ...string[]])[]>> =
  {
    identity: [
      [
        "selectIdentities",
        (tx) => selectIdentities(tx, [Buffer.alloc(32)]),
        "memberships_user_id",
        "organizations_pkey",
        "roles_pkey",
        "tokens_digest_key",
        "users_pkey",
      ],
      [
        "selectIsMember",
        (tx) => memberships.selectIsMember(tx, idOf(7), idOf(7)),
        "memberships_user_id",
        "organizations_pkey",
      ],
      [
        "selectOtherOrgAdminExists",
        (tx) => admins.selectOtherOrgAdminExists(tx, idOf(7), idOf(7)),
        "memberships_role_name",
        "users_pkey",
      ],
      [
        "selectOtherProviderAdminExists",
        (tx) => admins.selectOtherProviderAdminExists(tx, idOf(7), idOf(7)),
        "memberships_role_name",
        "organizations_pkey",
        "users_pkey",
      ],
      ["selectHasProviderAdmin", (tx) => admins.selectHasProviderAdmin(tx, idOf(7)), "memberships_role_name"],
      ["selectRoleNames", (tx) => memberships.selectRoleNames(tx, idOf(7), idOf(7)), "memberships_pkey"],
      [
        "selectRelation",
        (tx) => users.selectRelation(tx, idOf(7), idOf(8)),
        "memberships_user_id",
        "organizations_pkey",
      ],
      [
        "selectOrganizationsWithRoles",
        (tx) => users.selectOrganizationsWithRoles(tx, idOf(7)),
        "memberships_user_id",
        "organizations_pkey",
      ],
      [
        "selectOrganizationsOf a user",
        async (tx) => organizations.selectOrganizationsOf(tx, idOf(7), byDate),
        "memberships_user_id",
        "organizations_pkey",
      ],
      [
        "selectAdminRoles",
        (tx) => admins.selectAdminRoles(tx, idOf(7), idOf(7)),
        "memberships_user_id",
        "organizations_pkey",
        "users_pkey",
      ],
      [
        "selectIsMemberByEmail",
        (tx) => memberships.selectIsMemberByEmail(tx, idOf(7), "7"),
        "memberships_user_id",
        "users_live_email",
      ],
      [
        "selectInvitationsOf",
        (tx) => invitationPages.selectInvitationsOf(tx, idOf(7), byDate),
        "invitations_by_created_at",
        "live_counts_pkey",
      ],
      [
        "selectOwnInvitations",
        (tx) => invitationPages.selectOwnInvitations(tx, idOf(7), byDate),
        "invitations_email",
        "invitations_user_id",
        "organizations_pkey",
        "users_pkey",
      ],
      [
        "selectOwnInvitation",
        (tx) => invitations.selectOwnInvitation(tx, idOf(7), idOf(7)),
        "invitations_pkey",
        "organizations_pkey",
        "users_pkey",
      ],
      [
        "selectPendingExists",
        (tx) => invitations.selectPendingExists(tx, idOf(7), { email: "7" }),
        "invitations_pending_email",
      ],
      ["countPendingInvitations", (tx) => invitations.countPendingInvitations(tx, idOf(7)), "invitations_pending"],
      [
        "updateExpiredInvitationsOf",
        (tx) => invitations.updateExpiredInvitationsOf(tx, idOf(7)),
        "invitations_pending or invitations_pending_by_expiry", // either finds the few that have expired
      ],
      [
        "updateExpiredInvitations",
        (tx) => invitations.updateExpiredInvitations(tx, 100),
        "invitations_pending_by_expiry",
        "invitations_pkey",
      ],
      [
        "revokeInvitationsOf",
        (tx) => invitations.revokeInvitationsOf(tx, idOf(7), idOf(7)),
        "invitations_email",
        "invitations_pending_user or invitations_user_id", // either finds the one row
        "users_pkey",
      ],
      [
        "selectAuditEvents of an organization",
        (tx) => audit.selectAuditEvents(tx, idOf(7), undefined, 26),
        "audit_events_by_organization",
      ],
      [
        "selectAuditEvents of all",
        (tx) => audit.selectAuditEvents(tx, "all", { createdAt: new Date(0), id: idOf(7) }, 26),
        "audit_events_by_created_at",
      ],
      [
        "selectTeamsOf an organization",
        (tx) => teams.selectTeamsOf(tx, idOf(7), byDate),
        "live_counts_pkey",
        "teams_live_by_created_at",
      ],
      [
        "selectTeamsOf all",
        (tx) => teams.selectTeamsOf(tx, "all", byDate),
        "live_counts_pkey",
        "teams_of_all_by_created_at",
      ],
      [
        "selectTeamIdsOfUser",
        (tx) => members.selectTeamIdsOfUser(tx, idOf(7)),
        "organizations_pkey",
        "team_members_user_id",
        "teams_pkey",
      ],
      [
        "deleteMember",
        (tx) => memberships.deleteMember(tx, idOf(7), idOf(7)),
        "memberships_user_id",
        "team_members_user_id",
        "teams_pkey",
      ],
      [
        "selectTokensOf",
        (tx) => tokens.selectTokensOf(tx, idOf(7), byDate),
        "live_counts_pkey",
        "tokens_user_created_at",
      ],
      ["selectPreferences", (tx) => preferences.selectPreferences(tx, idOf(7)), "preferences_pkey"],
      [
        "clearSelectionsOfWorkspaces",
        (tx) => preferences.clearSelectionsOfWorkspaces(tx, [idOf(7)]),
        "preferences_selected_workspace",
      ],
      [
        "clearSelectionsOfOrganization",
        (tx) => preferences.clearSelectionsOfOrganization(tx, idOf(8)),
        "preferences_selected_organization",
        "preferences_selected_workspace",
        "workspace_references_organization_id",
      ],
      [
        "selectCurriculaOf",
        (tx) => curricula.selectCurriculaOf(tx, idOf(7), byDate),
        "curricula_by_created_at",
        "live_counts_pkey",
        "organizations_pkey",
        "registrations_pkey",
      ],
      ["selectSlugsFrom", (tx) => curricula.selectSlugsFrom(tx, idOf(7), "go"), "curricula_slug"],
      ["selectRecordStates of teams", (tx) => selectRecordStates(tx, "teams", [idOf(7)]), "teams_pkey"],
    ],
    environment: [
      ["selectEnvironment", (tx) => environments.selectEnvironment(tx, idOf(7)), "environments_pkey"],
      [
        "selectEnvironmentsOf",
        (tx) => environments.selectEnvironmentsOf(tx, [idOf(7)], byDate),
        "environments_by_created_at",
        "live_counts_pkey",
      ],
      [
        "selectEnvironmentsAmong",
        (tx) => environments.selectEnvironmentsAmong(tx, selection(true)),
        "environments_pkey",
      ],
      [
        "selectEnvironmentsAmong, the others",
        (tx) => environments.selectEnvironmentsAmong(tx, selection(false)),
        "environments_by_created_at",
        "environments_pkey",
        "live_counts_pkey",
      ],
      [
        "selectCredentialsOf",
        (tx) => credentials.selectCredentialsOf(tx, [idOf(7)], byDate),
        "credentials_by_created_at",
        "live_counts_pkey",
      ],
      [
        "selectConnectionsOf",
        (tx) => connectionPages.selectConnectionsOf(tx, [idOf(7)], byDate),
        "connections_by_created_at",
        "live_counts_pkey",
      ],
      [
        "selectConnectionsIn",
        (tx) => connectionPages.selectConnectionsIn(tx, inOrganization(idOf(7)), byDate),
        "connections_pkey",
        "environment_connections_pair",
      ],
      [
        "selectConnectionsNotIn by date",
        (tx) => connectionPages.selectConnectionsNotIn(tx, inOrganization(idOf(7)), byDate),
        "connections_by_created_at",
        "connections_pkey",
        "environment_connections_pair",
        "live_counts_pkey",
      ],
      [
        "selectConnectionsNotIn by change",
        (tx) => connectionPages.selectConnectionsNotIn(tx, inOrganization(idOf(7)), byChange),
        "connections_by_updated_at",
        "connections_pkey",
        "environment_connections_pair",
        "live_counts_pkey",
      ],
      [
        "selectConnectionsNotIn by name",
        (tx) => connectionPages.selectConnectionsNotIn(tx, inOrganization(idOf(7)), byName),
        "connections_by_name",
        "connections_pkey",
        "environment_connections_pair",
        "live_counts_pkey",
      ],
      ["clearCredential", (tx) => credentials.clearCredential(tx, idOf(7)), "connections_by_credential"],
      [
        "selectEnvironmentIdsOfConnection",
        (tx) => links.selectEnvironmentIdsOfConnection(tx, idOf(7)),
        "connections_pkey",
        "environment_connections_by_connection",
        "environments_pkey",
      ],
      [
        "deleteLinksOfEnvironment",
        (tx) => links.deleteLinksOfEnvironment(tx, idOf(7)),
        "environment_connections_pair",
        "environment_connections_pkey",
      ],
      [
        "deleteLinksOfConnection",
        (tx) => links.deleteLinksOfConnection(tx, idOf(7)),
        "environment_connections_by_connection",
        "environment_connections_pkey",
      ],
    ],
    workspace: [
      ["selectWorkspace", (tx) => workspaces.selectWorkspace(tx, idOf(7)), "workspaces_pkey"],
      [
        "selectWorkspacesOf",
        (tx) => workspaces.selectWorkspacesOf(tx, [idOf(7)], byDate),
        "live_counts_pkey",
        "workspaces_by_created_at",
      ],
      ["countLiveWorkspaces", (tx) => workspaces.countLiveWorkspaces(tx, idOf(7)), "workspaces_by_created_at"],
      [
        "selectItemsOf",
        (tx) => library.selectItemsOf(tx, designs, [idOf(7)], { ...byDate, visibility: [] }),
        "designs_by_created_at",
        "live_counts_pkey",
      ],
      [
        "selectTeamsReachWorkspace",
        (tx) => access.selectTeamsReachWorkspace(tx, [idOf(7)], idOf(7)),
        "assignments_by_resource or assignments_pair", // either finds the one row; Postgres 15 and 16 take the second
        "workspaces_pkey",
      ],
      [
        "selectTeamsReachResources",
        (tx) => access.selectTeamsReachResources(tx, [idOf(7)], "design", [idOf(7)]),
        "assignments_by_resource",
        "assignments_pair",
        "workspaces_pkey",
      ],
      ["selectLinkedWorkspace", (tx) => selectLinkedWorkspace.team(tx, idOf(7)), "assignments_pair", "workspaces_pkey"],
      [
        "deleteAssignment",
        (tx) => assignments.deleteAssignment(tx, idOf(7), "team", idOf(7)),
        "assignments_by_resource",
      ],
      [
        "deleteLinksOfResources",
        (tx) => assignments.deleteLinksOfResources(tx, "team", [idOf(7)]),
        "assignments_by_resource",
        "workspaces_pkey",
      ],
      [
        "selectActivities",
        (tx) => activity.selectActivities(tx, idOf(7), byDate),
        "activity_events_by_workspace",
        "live_counts_pkey",
      ],
      [
        "selectWorkspacesUnlinkedAt",
        (tx) => activity.selectWorkspacesUnlinkedAt(tx, idOf(7), new Date(0)),
        "activity_events_by_deleted_resource",
      ],
      ["claimEvents", (tx) => claimEvents(tx, 100), "outbox_pkey", "outbox_unpublished"],
      ["markPublished", (tx) => markPublished(tx, "2026", [{ id: idOf(7), sequence: 7 }]), "outbox_pkey"],
      ["selectBacklog", (tx) => selectBacklog(tx), "outbox_unpublished"],
      ["unpublishLostEvents", (tx) => unpublishLostEvents(tx, lostStream, "0"), "outbox_pkey", "outbox_published_in"],
      ["deleteOldUsage", (tx) => deleteOldUsage(tx), "rate_limit_usage_pkey"],
      ["purge", (tx) => purge(tx), "all of outbox", "inbox_pkey", "inbox_received_at", "outbox_published_at"],
      ["selectIsReceived", (tx) => selectIsReceived(tx, "consumer", "7"), "inbox_pkey"],
      ["deleteBegunTries", (tx) => deleteBegunTries(tx, "consumer", "7"), "begun_tries_pkey"],
    ],
  };

const SEEDING_MS = 120_000;

describe.each(["identity", "environment", "workspace"] as const)("%s", (service) => {
  const resources = new AsyncDisposableStack();
  let db: Database;

  beforeAll(async () => {
    db = await openMigrated(service, resources);
    for (const seed of seeds[service]) await db.query(seed);
    await db.query(sql`analyze`);
  }, SEEDING_MS);
  afterAll(() => resources.disposeAsync());

  test.each(statements[service])("%s", async (_name, run, ...indexes) => {
    const scans = await scansOf(db, run);
    const allowed = (scan: string, expected = "") => (expected.split(" or ").includes(scan) ? expected : scan);
    expect(scans.map((scan, index) => allowed(scan, indexes[index]))).toEqual(indexes);
  });
});

test(
  "control: reports that an index is missing",
  async () => {
    await using resources = new AsyncDisposableStack();
    const db = await openMigrated("workspace", resources);
    for (const seed of seeds.workspace) await db.query(seed);
    await db.query(sql`drop index activity_events_by_workspace, activity_events_by_description`);
    await db.query(sql`analyze`);
    const scans = await scansOf(db, (tx) => activity.selectActivities(tx, idOf(7), byDate));
    expect(scans).toEqual(["all of activity_events", "live_counts_pkey"]);
  },
  SEEDING_MS,
);
