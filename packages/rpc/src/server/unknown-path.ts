import type { NodeHandler } from "./listen-one-port.ts";

/** Refuses a request that is no RPC. */
export const refuseUnknownPath: NodeHandler = (_request, response) => {
  response.writeHead(404, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
  response.end("no such path\n");
};
