import { create } from "@bufbuild/protobuf";
import { type Team, type TeamMember, TeamMemberSchema, TeamSchema } from "@cloud/proto/identity/v1/records_pb";
import { timestampToProto } from "@cloud/rpc";
import type { TeamMemberRow } from "./team-members-sql.ts";
import type { TeamRow } from "./teams-sql.ts";

/** A row as the API tells it. */
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
  });
}

/** A row as the API tells it. */
export function teamMemberToProto(row: TeamMemberRow): TeamMember {
  return create(TeamMemberSchema, {
    teamId: row.team_id,
    userId: row.user_id,
    createdAt: timestampToProto(row.created_at),
  });
}
