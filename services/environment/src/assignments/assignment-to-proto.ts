import { create } from "@bufbuild/protobuf";
import { type ConnectionAssignment, ConnectionAssignmentSchema } from "@cloud/proto/environment/v1/records_pb";
import { timestampToProto } from "@cloud/rpc";
import type { AssignmentRow } from "./assignment-sql.ts";

/** A link never changes after its creation, and one that ended is no row any more. */
export function assignmentToProto(row: AssignmentRow): ConnectionAssignment {
  return create(ConnectionAssignmentSchema, {
    id: row.id,
    environmentId: row.environment_id,
    connectionId: row.connection_id,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.created_at),
  });
}
