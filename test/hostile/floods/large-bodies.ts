import type { Flood } from "./flood.ts";
import { UNKNOWN_TOKEN } from "./unknown-token.ts";

const BYTES = 1_000_000;

/** JSON that is costly to decode: 90,000 keys. */
function manyKeys(): string {
  const keys = Array.from({ length: 90_000 }, (_, key) => `"${key.toString(36)}":0`);
  return `{"metadata":{${keys.join(",")}}}`.padEnd(BYTES);
}

/** Eight callers whose token has the right form and is unknown, each with 1 MB of JSON, twice a second. */
const largeBodies = (target: Flood["target"], path: string): Flood => ({
  target,
  connections: 8,
  everyMs: 500,
  *send() {
    const head =
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
      `Authorization: Bearer ${UNKNOWN_TOKEN}\r\nContent-Length: ${BYTES}\r\n\r\n`;
    const request = Buffer.from(head + manyKeys());
    for (;;) yield request;
  },
});

export const largeBodiesAtGateway = largeBodies("gateway", "/api/connections");
export const largeBodiesAtService = largeBodies("workspace", "/workspace.v1.WorkspaceService/CreateWorkspace");
