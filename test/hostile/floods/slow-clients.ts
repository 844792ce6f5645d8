import type { Flood } from "./flood.ts";
import { FLAG, FRAME, frame, headersOf, OPENING } from "./http2-frames.ts";
import { UNKNOWN_TOKEN } from "./unknown-token.ts";

/** Sends a byte each time. */
function* byteByByte(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
}

const clients = (target: Flood["target"], send: Flood["send"]): Flood => ({
  target,
  connections: 500,
  everyMs: 500,
  send,
});

const head = (path: string) =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
      `Authorization: Bearer ${UNKNOWN_TOKEN}\r\nContent-Length: 1000\r\n\r\n`,
  );
const BODY = Buffer.from("{}".padEnd(1_000));

/** 500 clients of HTTP/1.1: half of them send their headers, the others their body, a byte at a time. */
const http1 = (target: Flood["target"], path: string): Flood =>
  clients(target, function* (connection) {
    if (connection % 2 === 0) return yield* byteByByte(head(path));
    yield head(path);
    yield* byteByByte(BODY);
  });

const RPC = "/workspace.v1.WorkspaceService/CreateWorkspace";

export const slowAtGateway = http1("gateway", "/api/workspaces");
export const slowAtService = http1("workspace", RPC);

/** 500 clients of HTTP/2: half of them send their preface and headers, the others their body, a byte at a time. */
export const slowOverHttp2: Flood = clients("workspace", function* (connection) {
  const headers = headersOf(RPC, "application/json", { authorization: `Bearer ${UNKNOWN_TOKEN}` });
  const opening = Buffer.concat([OPENING, frame(FRAME.headers, FLAG.endHeaders, 1, headers)]);
  if (connection % 2 === 0) return yield* byteByByte(opening);
  yield opening;
  for (const byte of byteByByte(BODY)) yield frame(FRAME.data, FLAG.none, 1, byte);
});
