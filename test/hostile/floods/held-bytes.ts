import type { Flood } from "./flood.ts";

/** The first bytes of HTTP/2, and also of POST, that are never followed by others. */
export const heldBytes: Flood = {
  target: "workspace",
  connections: 500,
  everyMs: 1_000,
  *send(connection) {
    yield Buffer.from(connection % 2 === 0 ? "P" : "PR");
  },
};
