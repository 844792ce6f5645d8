import {
  ConnectionAssignmentSchema,
  ConnectionSchema,
  CredentialSchema,
  EnvironmentSchema,
} from "@cloud/proto/environment/v1/records_pb";
import { recordToProto } from "@cloud/service/records";
import type { AssignmentRow } from "./links/sql.ts";

// The functions that convert rows to API messages.

export const connectionToProto = recordToProto(ConnectionSchema);
export const credentialToProto = recordToProto(CredentialSchema);
export const environmentToProto = recordToProto(EnvironmentSchema);

const rowOfLinkToProto = recordToProto(ConnectionAssignmentSchema);

/** A link is never updated, and removing it deletes the row. */
export const assignmentToProto = (row: AssignmentRow) =>
  rowOfLinkToProto({ ...row, updated_at: row.created_at, deleted_at: null });
