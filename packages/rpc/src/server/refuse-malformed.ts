import { findRequestFault } from "@cloud/program";
import type { NodeHandler } from "./listen-one-port.ts";

/** Refuses a request that is no RPC for the faults for which `authenticateRequest` refuses an RPC. */
export function refuseMalformed(otherwise: NodeHandler): NodeHandler {
  return (request, response) => {
    const fault = findRequestFault(request);
    if (fault === undefined) {
      otherwise(request, response);
      return;
    }
    response.writeHead(400, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
    response.end(`${fault.parameter} must be ${fault.accepts}\n`);
  };
}
