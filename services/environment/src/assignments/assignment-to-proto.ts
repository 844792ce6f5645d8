import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type ConnectionAssignment, ConnectionAssignmentSchema } from "@cloud/proto/environment/v1/records_pb";
import type { AssignmentRow } from "../links/assignment-sql.ts";

/** Converts a row to its API message. A link is never updated, and removing it deletes the row. */
export function assignmentToProto(row: AssignmentRow): ConnectionAssignment {
  return create(ConnectionAssignmentSchema, {
    id: row.id,
    environmentId: row.environment_id,
    connectionId: row.connection_id,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.created_at),
  });
}
