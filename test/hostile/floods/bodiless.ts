import type { Flood } from "./flood.ts";
import { headersOf, OPENING } from "./http2-frames.ts";
import { openStreams } from "./streams.ts";
import { UNKNOWN_TOKEN } from "./unknown-token.ts";

const HEADERS = headersOf("/workspace.v1.WorkspaceService/ListWorkspaces", "application/proto", {
  authorization: `Bearer ${UNKNOWN_TOKEN}`,
});

/** 4,000 streams whose body never comes, and 1,600 more a second. */
export const bodiless: Flood = {
  target: "workspace",
  connections: 16,
  everyMs: 100,
  *send() {
    yield OPENING;
    yield* openStreams({ headers: HEADERS, first: 250, later: 10 });
  },
};
