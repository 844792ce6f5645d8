import { Code } from "@connectrpc/connect";
import type { NodeHandler } from "./listen-one-port.ts";
import { isGrpc, refuseGrpc } from "./unknown-rpc.ts";

/** Streams that need no token, open at a time in a process, and how those beyond it are refused. */
const LIMITS = [
  /**
   * A load balancer keeps one for each of its own processes. A client whose watch is UNIMPLEMENTED takes the server for
   * healthy; after any other error, for one that cannot serve (gRFC A17).
   */
  { path: "/grpc.health.v1.Health/Watch", max: 100, code: Code.Unimplemented, httpStatus: 501 },
  /** A tool opens one; 36 bytes ask for 32 KB. */
  { path: "/grpc.reflection.", max: 16, code: Code.ResourceExhausted, httpStatus: 429 },
];

/**
 * Refuses streams of health and reflection beyond their limits before the library sees them, which takes a millisecond
 * and 100 KB for each.
 */
export function limitOpenStreams(handler: NodeHandler): NodeHandler {
  const kinds = LIMITS.map((limit) => ({ ...limit, open: 0 }));
  return (request, response) => {
    const kind = kinds.find(({ path }) => request.url?.startsWith(path));
    if (kind !== undefined && kind.open >= kind.max) {
      if (isGrpc(request)) return refuseGrpc(request, response, kind.code, "too many streams");
      response.statusCode = kind.httpStatus;
      response.end();
      request.resume();
      return;
    }
    if (kind !== undefined) {
      kind.open++;
      response.once("close", () => kind.open--);
    }
    handler(request, response);
  };
}
