import { CurriculumSchema } from "@cloud/proto/academy/v1/curriculum_service_pb";
import {
  AuditEventSchema,
  InvitationSchema,
  MemberSchema,
  OrganizationSchema,
  PreferencesSchema,
  TeamMemberSchema,
  TeamSchema,
  TokenSchema,
  UserSchema,
} from "@cloud/proto/identity/v1/records_pb";
import { recordToProto } from "@cloud/service/records";
import type { CurriculumRow } from "./curricula/sql.ts";
import type { MemberRow } from "./members/sql.ts";
import type { TeamMemberRow } from "./teams/member-sql.ts";

// The functions that convert rows to API messages.

export const auditEventToProto = recordToProto(AuditEventSchema);
export const invitationToProto = recordToProto(InvitationSchema);
export const organizationToProto = recordToProto(OrganizationSchema);
/** A field without a selection is an empty string. */
export const preferencesToProto = recordToProto(PreferencesSchema);
export const teamToProto = recordToProto(TeamSchema);
/** The secret has no field. */
export const tokenToProto = recordToProto(TokenSchema);
export const userToProto = recordToProto(UserSchema);

const rowOfCurriculumToProto = recordToProto(CurriculumSchema);

export function curriculumToProto(row: CurriculumRow) {
  // A registration changes the record, but not its row.
  const etag = `${row.etag.slice(0, -1)}.${row.registration_count}"`;
  return rowOfCurriculumToProto({ ...row, org_id: row.organization_id, etag });
}

const rowOfMemberToProto = recordToProto(MemberSchema);

export const memberToProto = (row: MemberRow) => rowOfMemberToProto({ ...row, ...row.person, id: row.user_id });

const rowOfTeamMemberToProto = recordToProto(TeamMemberSchema);

export const teamMemberToProto = (row: TeamMemberRow) => rowOfTeamMemberToProto({ ...row, ...row.person });
