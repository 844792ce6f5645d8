import { parseMetadata, parseTextParameter } from "@cloud/contract";
import type { CreateConnectionRequest } from "@cloud/proto/environment/v1/connection_service_pb";

/** Parses the fields of a connection; every text has at most 255 characters. @throws INVALID_PARAMETER. */
export function parseConnectionFields(request: CreateConnectionRequest) {
  return {
    name: parseTextParameter("name", request.name),
    description: parseTextParameter("description", request.description),
    kind: parseTextParameter("kind", request.kind),
    type: parseTextParameter("type", request.type),
    status: parseTextParameter("status", request.status),
    metadata: parseMetadata(request.metadata),
  };
}
