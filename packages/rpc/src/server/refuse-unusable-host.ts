import type { NodeHandler } from "./listen-one-port.ts";

/**
 * Refuses a request without a host, or with one that cannot be part of a URL, such as `[` or `a:99999`. The library
 * makes a URL of it where it throws into the server of Node: one such request, without a token, ended the process.
 */
export function refuseUnusableHost(handler: NodeHandler): NodeHandler {
  return (request, response) => {
    const host = "authority" in request ? request.authority : request.headers.host;
    if (host !== undefined && URL.canParse(`http://${host}`)) {
      handler(request, response);
      return;
    }
    response.writeHead(400, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
    response.end("header Host must be a host, and a port if any\n");
    request.resume();
  };
}
