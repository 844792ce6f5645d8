import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type Team, type TeamMember, TeamMemberSchema, TeamSchema } from "@cloud/proto/identity/v1/records_pb";
import type { TeamMemberRow } from "./team-member-pages-sql.ts";
import type { TeamRow } from "./team-sql.ts";

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
