import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/access/values";
import {
  type Connection,
  type ConnectionAssignment,
  ConnectionAssignmentSchema,
  ConnectionSchema,
  type Credential,
  CredentialSchema,
  type Environment,
  EnvironmentSchema,
} from "@cloud/proto/environment/v1/records_pb";
import type { ConnectionRow } from "./connections/sql.ts";
import type { CredentialRow } from "./credentials/sql.ts";
import type { EnvironmentRow } from "./environments/sql.ts";
import type { AssignmentRow } from "./links/sql.ts";

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

/** Converts a row to its API message. */
export function connectionToProto(row: ConnectionRow): Connection {
  return create(ConnectionSchema, {
    id: row.id,
    name: row.name,
    description: row.description,
    organizationId: row.organization_id,
    owner: row.owner,
    kind: row.kind,
    type: row.type,
    status: row.status,
    credentialId: row.credential_id ?? "",
    metadata: row.metadata,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    deletedAt: timestampToProto(row.deleted_at),
    etag: row.etag,
  });
}

/** Converts a row to its API message. */
export function credentialToProto(row: CredentialRow): Credential {
  return create(CredentialSchema, {
    id: row.id,
    name: row.name,
    organizationId: row.organization_id,
    owner: row.owner,
    type: row.type,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    deletedAt: timestampToProto(row.deleted_at),
    etag: row.etag,
  });
}

/** Converts a row to its API message. */
export function environmentToProto(row: EnvironmentRow): Environment {
  return create(EnvironmentSchema, {
    id: row.id,
    name: row.name,
    description: row.description,
    organizationId: row.organization_id,
    platformProvisioned: row.platform_provisioned,
    metadata: row.metadata,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    deletedAt: timestampToProto(row.deleted_at),
    etag: row.etag,
  });
}
