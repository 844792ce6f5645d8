import { constants } from "node:http2";
import type { NodeHandler } from "./listen-one-port.ts";

/** Streams of reflection that are open in a process; a tool opens one. */
const MOST_STREAMS = 16;

/**
 * Refuses streams of reflection beyond 16 open ones before the library sees them, as not processed (RFC 9113, 8.7): a
 * client may send them again. Reflection needs no token and its replies have 32 KB; whoever opened 2,000 streams a second
 * and took no reply raised the 99th percentile of all other callers from 11 to 50 ms.
 */
export function limitReflection(handler: NodeHandler): NodeHandler {
  let open = 0;
  return (request, response) => {
    if (!("stream" in request) || !request.url.startsWith("/grpc.reflection.")) return handler(request, response);
    const { stream } = request;
    if (open >= MOST_STREAMS) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
    open++;
    stream.once("close", () => open--);
    handler(request, response);
  };
}
