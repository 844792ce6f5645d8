import { parseMetadata, parseTextParameter } from "@cloud/access/values";
import type {
  CreateConnectionRequest,
  UpdateConnectionRequest,
} from "@cloud/proto/environment/v1/connection_service_pb";

export type ConnectionFields = ReturnType<typeof parseConnectionFields>;
export type ConnectionChanges = ReturnType<typeof parseConnectionChanges>;

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

/** Parses the fields that are sent; the others are undefined. @throws INVALID_PARAMETER. */
export function parseConnectionChanges(request: UpdateConnectionRequest) {
  const { metadata } = request;
  return {
    name: parseChange("name", request.name),
    description: parseChange("description", request.description),
    kind: parseChange("kind", request.kind),
    type: parseChange("type", request.type),
    status: parseChange("status", request.status),
    metadata: metadata === undefined ? undefined : parseMetadata(metadata),
  };
}

function parseChange(name: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : parseTextParameter(name, value);
}
