import type { Flood } from "./flood.ts";
import { grpcMessage, headersOf, OPENING } from "./http2-frames.ts";
import { openStreams } from "./streams.ts";

const HEADERS = headersOf("/grpc.health.v1.Health/Watch", "application/grpc");

/** 2,000 watches of health at once, and 800 more a second, as those beyond the limit are refused. */
export const watches: Flood = {
  target: "workspace",
  connections: 8,
  everyMs: 100,
  *send() {
    yield OPENING;
    yield* openStreams({ headers: HEADERS, body: grpcMessage(), first: 250, later: 10 });
  },
};
