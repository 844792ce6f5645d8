import type { CreateConnectionRequest } from "@cloud/proto/environment/v1/connection_service_pb";
import { metadataToJson } from "../metadata-to-json.ts";
import { parseField } from "../parse-field.ts";

/** What a connection says of itself; every text has at most 255 characters. @throws INVALID_PARAMETER. */
export function parseConnectionFields(request: CreateConnectionRequest) {
  return {
    name: parseField("name", request.name),
    description: parseField("description", request.description),
    kind: parseField("kind", request.kind),
    type: parseField("type", request.type),
    status: parseField("status", request.status),
    metadata: metadataToJson(request.metadata),
  };
}
