import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import * as audit from "../../../../../services/identity/src/audit/sql.ts";
import { selectIdentities } from "../../../../../services/identity/src/authentication/authenticate.ts";
import * as curricula from "../../../../../services/identity/src/curricula/sql.ts";
import * as invitationPages from "../../../../../services/identity/src/invitations/pages-sql.ts";
import * as invitations from "../../../../../services/identity/src/invitations/sql.ts";
import * as memberPages from "../../../../../services/identity/src/members/sql.ts";
import * as admins from "../../../../../services/identity/src/memberships/sql.ts";
import * as memberships from "../../../../../services/identity/src/memberships/sql.ts";
import * as organizations from "../../../../../services/identity/src/organizations/sql.ts";
import * as roles from "../../../../../services/identity/src/roles/sql.ts";
import * as preferences from "../../../../../services/identity/src/selections/preferences-sql.ts";
import * as teamMemberPages from "../../../../../services/identity/src/teams/member-sql.ts";
import * as members from "../../../../../services/identity/src/teams/member-sql.ts";
import * as teams from "../../../../../services/identity/src/teams/sql.ts";
import * as tokens from "../../../../../services/identity/src/tokens/sql.ts";
import * as users from "../../../../../services/identity/src/users/sql.ts";
import { batchGetRecordStates } from "../../../src/records/batch-get-record-states-sql.ts";
import { idOf } from "../seeds.ts";
import { byDate, readUpTo } from "./parameters.ts";
import type { PlannedStatement } from "./planned-statement.ts";

export const identityStatements: readonly PlannedStatement[] = [
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
  ["selectRelation", (tx) => users.selectRelation(tx, idOf(7), idOf(8)), "memberships_user_id", "organizations_pkey"],
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
    "audit log of an organization, newest first",
    (tx) => audit.organizationLog.newestFirst(tx, idOf(7), undefined, 26),
    "audit_events_by_organization",
  ],
  [
    "audit log of all, newest first",
    (tx) => audit.systemLog.newestFirst(tx, null, { createdAt: new Date(0), id: idOf(7) }, 26),
    "audit_events_by_created_at",
  ],
  [
    "audit log of an organization, oldest first",
    (tx) => audit.organizationLog.oldestFirst(tx, idOf(7), readUpTo, 26),
    "audit_events_by_created_at or audit_events_by_organization", // a tenth of all entries are of this one
    "audit_events_by_xact",
  ],
  [
    "audit log of all, oldest first",
    (tx) => audit.systemLog.oldestFirst(tx, null, readUpTo, 26),
    "audit_events_by_created_at",
    "audit_events_by_xact",
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
  ["selectTokensOf", (tx) => tokens.selectTokensOf(tx, idOf(7), byDate), "live_counts_pkey", "tokens_user_created_at"],
  [
    "selectMembersOf",
    (tx) => memberPages.selectMembersOf(tx, idOf(7), { userId: idOf(7), searchesEmails: false }, byDate),
    "live_counts_pkey",
    "members_by_created_at",
    "memberships_pkey",
    "memberships_role_name", // the seed has no Org Admin
    "memberships_user_id",
    "organizations_pkey",
    "users_pkey",
  ],
  [
    "selectMember",
    (tx) => memberPages.selectMember(tx, idOf(7), { userId: null, searchesEmails: true }, idOf(10)),
    "members_pkey or members_user_id", // either finds the one row
    "memberships_pkey",
    "users_pkey",
  ],
  [
    "selectTeamMembersOf",
    (tx) => teamMemberPages.selectTeamMembersOf(tx, idOf(7), { userId: null, searchesEmails: true }, byDate),
    "live_counts_pkey",
    "team_members_by_created_at",
    "users_pkey",
  ],
  ["selectHeldKeys", (tx) => roles.selectHeldKeys(tx, idOf(7), idOf(7)), "memberships_user_id", "organizations_pkey"],
  ["selectToken", (tx) => tokens.selectToken(tx, idOf(7), idOf(7)), "tokens_pkey"],
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
  [
    "batchGetRecordStates of teams",
    (tx) => batchGetRecordStates(tx, [RecordKind.TEAM], { kind: RecordKind.TEAM, ids: [idOf(7)] }),
    "teams_pkey",
  ],
];
