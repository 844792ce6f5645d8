import type { Flood } from "./flood.ts";
import { UNKNOWN_TOKEN } from "./unknown-token.ts";

/** Returns a flood of one connection that sends `count` requests in one write, twice a second. */
function pipelined(request: string, count: number, target: Flood["target"] = "gateway"): Flood {
  const block = Buffer.from(request.repeat(count));
  return {
    target,
    connections: 1,
    everyMs: 500,
    *send() {
      for (;;) yield block;
    },
  };
}

/** Returns a flood of connections that each send once what Node reads at once: 64 KiB of requests, without a token. */
function manyPipelined(connections: number, options: Pick<Flood, "target" | "delays">): Flood {
  const block = Buffer.from(UNKNOWN.repeat(countFor(65_536, UNKNOWN)));
  return {
    ...options,
    connections,
    everyMs: 500,
    *send() {
      yield block;
    },
  };
}

const READYZ = "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n";
/** The cheapest one for its caller: 404. */
const UNKNOWN = "GET /unknown HTTP/1.1\r\nHost: x\r\n\r\n";
/** Each one makes the gateway ask identity. */
const LIST = `GET /api/workspaces HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${UNKNOWN_TOKEN}\r\n\r\n`;

const countFor = (bytes: number, request: string) => Math.round(bytes / request.length);

export const pipelinedReadyz165k = pipelined(READYZ, countFor(165_000, READYZ), "operator");
export const pipelinedReadyz1m = pipelined(READYZ, countFor(1_000_000, READYZ), "operator");
export const pipelinedUnknown165k = pipelined(UNKNOWN, countFor(165_000, UNKNOWN));
export const pipelinedUnknown1m = pipelined(UNKNOWN, countFor(1_000_000, UNKNOWN));
export const pipelinedCalls165k = pipelined(LIST, countFor(165_000, LIST));
export const pipelinedCalls1m = pipelined(LIST, countFor(1_000_000, LIST));
export const pipelinedBy128 = manyPipelined(128, { target: "gateway" });
export const pipelinedBy400 = manyPipelined(400, {
  target: "gateway",
  delays: "to open 400 connections at once and reply to the first request of each takes 40 to 110 ms, whoever they are",
});
export const pipelinedBy128AtService = manyPipelined(128, { target: "workspace" });
