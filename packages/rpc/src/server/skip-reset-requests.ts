import type { NodeHandler } from "./listen-one-port.ts";

/**
 * Starts a request of HTTP/2 in the next turn of the event loop, unless its client has reset it by then. A flood of resets
 * sends each right behind its request (CVE-2023-44487), and they are read together: 10,000 requests a second, each
 * refused only after its error was made and encoded, took all of the processor, and no other caller got a reply.
 */
export function skipResetRequests(handler: NodeHandler): NodeHandler {
  return (request, response) => {
    setImmediate(() => {
      const isReset = "stream" in request && (request.stream.closed || request.stream.destroyed);
      if (!isReset) handler(request, response);
    });
  };
}
