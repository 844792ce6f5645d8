import type { Server } from "node:http";
import type { Http2Server } from "node:http2";

/**
 * Serves a request with an unknown expectation like any other, as RFC 9110 (10.1.1) allows. Node's own reply is a 417
 * without a body, which no document lists.
 */
export function serveExpectations(server: Server | Http2Server): void {
  server.on("checkExpectation", (request, response) => void server.emit("request", request, response));
}
