import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/access/values";
import { type Curriculum, CurriculumSchema } from "@cloud/proto/academy/v1/curriculum_service_pb";
import {
  type AuditEvent,
  AuditEventSchema,
  type Invitation,
  InvitationSchema,
  type Member,
  MemberSchema,
  type Organization,
  OrganizationSchema,
  type Preferences,
  PreferencesSchema,
  type Team,
  type TeamMember,
  TeamMemberSchema,
  TeamSchema,
  type Token,
  TokenSchema,
  type User,
  UserSchema,
} from "@cloud/proto/identity/v1/records_pb";
import type { AuditEventRow } from "./audit/sql.ts";
import type { CurriculumRow } from "./curricula/sql.ts";
import type { InvitationRow } from "./invitations/sql.ts";
import type { MemberRow } from "./members/sql.ts";
import type { OrganizationRow } from "./organizations/sql.ts";
import type { PreferencesRow } from "./selections/preferences-sql.ts";
import type { TeamMemberRow } from "./teams/member-sql.ts";
import type { TeamRow } from "./teams/sql.ts";
import type { TokenRow } from "./tokens/sql.ts";
import type { UserRow } from "./users/sql.ts";

/** Converts a row to its API message. */
export function auditEventToProto(row: AuditEventRow): AuditEvent {
  return create(AuditEventSchema, {
    id: row.id,
    actor: row.actor,
    action: row.action,
    target: row.target,
    organizationId: row.organization_id ?? "",
    metadata: row.metadata,
    requestId: row.request_id,
    createdAt: timestampToProto(row.created_at),
  });
}

/** Converts a row to its API message. */
export function curriculumToProto(row: CurriculumRow): Curriculum {
  return create(CurriculumSchema, {
    id: row.id,
    orgId: row.organization_id,
    title: row.title,
    description: row.description,
    type: row.type,
    level: row.level,
    visibility: row.visibility,
    status: row.status,
    slug: row.slug,
    registrationCount: row.registration_count,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    // A registration changes the record, but not its row.
    etag: `${row.etag.slice(0, -1)}.${row.registration_count}"`,
  });
}

/** Converts a row to its API message. */
export function memberToProto(row: MemberRow): Member {
  return create(MemberSchema, {
    id: row.user_id,
    organizationId: row.organization_id,
    userId: row.user_id,
    roleNames: row.role_names,
    ...row.person,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
  });
}

/** Converts a row to its API message. */
export function organizationToProto(row: OrganizationRow): Organization {
  return create(OrganizationSchema, {
    id: row.id,
    name: row.name,
    description: row.description,
    owner: row.owner ?? "",
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    deletedAt: timestampToProto(row.deleted_at),
    etag: row.etag,
  });
}

/** Converts a row to its API message; a field without a selection is an empty string. */
export function preferencesToProto(row: PreferencesRow): Preferences {
  return create(PreferencesSchema, {
    selectedOrganization: row.selected_organization ?? "",
    selectedWorkspace: row.selected_workspace ?? "",
    updatedAt: timestampToProto(row.updated_at),
  });
}

/** Converts a row to its API message. */
export function teamToProto(row: TeamRow): Team {
  return create(TeamSchema, {
    id: row.id,
    name: row.name,
    description: row.description,
    organizationId: row.organization_id,
    owner: row.owner ?? "",
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    deletedAt: timestampToProto(row.deleted_at),
    etag: row.etag,
  });
}

/** Converts a row to its API message. */
export function teamMemberToProto(row: TeamMemberRow): TeamMember {
  return create(TeamMemberSchema, {
    teamId: row.team_id,
    userId: row.user_id,
    ...row.person,
    createdAt: timestampToProto(row.created_at),
  });
}

/** Converts a row to its API message; the secret is never included. */
export function tokenToProto(row: TokenRow): Token {
  return create(TokenSchema, {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    hint: row.hint,
    createdAt: timestampToProto(row.created_at),
    revokedAt: timestampToProto(row.revoked_at),
    etag: row.etag,
  });
}

/** Converts a row to its API message. */
export function userToProto(row: UserRow): User {
  return create(UserSchema, {
    id: row.id,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    avatarUrl: row.avatar_url,
    status: row.status,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    deletedAt: timestampToProto(row.deleted_at),
    etag: row.etag,
  });
}

/** Converts a row to its API message. */
export function invitationToProto(row: InvitationRow): Invitation {
  return create(InvitationSchema, {
    id: row.id,
    organizationId: row.organization_id,
    userId: row.user_id ?? "",
    email: row.email,
    roleNames: row.role_names,
    invitedBy: row.invited_by ?? "",
    status: row.status,
    expiresAt: timestampToProto(row.expires_at),
    createdAt: timestampToProto(row.created_at),
    etag: row.etag,
  });
}
