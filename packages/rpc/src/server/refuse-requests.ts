import { codeOf, ruleOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { findRequestFault } from "@cloud/runtime";
import { Code } from "@connectrpc/connect";
import { type NodeRequest, receivedOf } from "../follow-calls.ts";
import type { NodeHandler } from "./http1-server.ts";

type NodeResponse = Parameters<NodeHandler>[1];

/**
 * Refuses requests that must not reach the library: with a host that ends the process, in a form that it does not read,
 * and streams beyond their limits.
 */
export function refuseUnusable(handler: NodeHandler): NodeHandler {
  const mayOpen = limitOpenStreams();
  return (request, response) => {
    if (TEXT_FORM.test(contentTypeOf(request))) return refuse(request, response, 415, NO_TEXT_FORM);
    if (!hasUsableHost(request)) return refuse(request, response, 400, "header Host must be a host, and a port if any");
    if (mayOpen(request, response)) handler(request, response);
  };
}

/**
 * Refuses a request for no RPC of this server. A gRPC client takes HTTP 404 for a fault of a proxy, so it gets a
 * status.
 */
export const refuseUnknown: NodeHandler = (request, response) => {
  if (isGrpc(request)) {
    const { rpcCode, message, httpStatus } = ruleOf(Reason.UNIMPLEMENTED);
    receivedOf(request).outcome = { route: "none", caller: "", status: httpStatus, code: codeOf(Reason.UNIMPLEMENTED) };
    return refuseGrpc(request, response, rpcCode, message);
  }
  const fault = findRequestFault(request);
  if (fault !== undefined) refuse(request, response, 400, `${fault.parameter} must be ${fault.accepts}`);
  else refuse(request, response, 404, "no such path");
};

const TEXT_FORM = /^application\/grpc-web-text(?:$|[-+;\s])/i;
/** The text form is the default of `protoc-gen-grpc-web`; it is for browsers without binary replies. */
const NO_TEXT_FORM =
  "application/grpc-web-text is not served: send application/grpc-web+proto (protoc-gen-grpc-web: mode=grpcweb)";

/**
 * Returns whether the host can be part of a URL, unlike `[` or `a:99999`. The library makes a URL of it and throws into
 * Node's server: one such request, without a token, ended the process.
 */
function hasUsableHost(request: NodeRequest): boolean {
  const host = "authority" in request ? request.authority : request.headers.host;
  return host !== undefined && URL.canParse(`http://${host}`); // protects: usable-host
}

/** The streams that need no token, with the limit of open ones in a process and the refusal beyond it. */
const STREAMS = [
  /**
   * A load balancer keeps one watch for each of its processes. A client whose watch is UNIMPLEMENTED takes the server
   * for healthy; after any other error, it takes it for unhealthy (gRFC A17).
   */
  { path: "/grpc.health.v1.Health/Watch", max: 100, code: Code.Unimplemented, httpStatus: 501 },
  /** A tool opens one stream; 36 bytes ask for 32 KB. */
  { path: "/grpc.reflection.", max: 16, code: Code.ResourceExhausted, httpStatus: 429 },
];

/** Returns whether a request may begin, else refuses it: in the library, each would take a millisecond and 100 KB. */
function limitOpenStreams(): (request: NodeRequest, response: NodeResponse) => boolean {
  const kinds = STREAMS.map((kind) => ({ ...kind, open: 0 })); // protects: open-streams
  return (request, response) => {
    const kind = kinds.find(({ path }) => request.url?.startsWith(path));
    if (kind === undefined) return true;
    if (kind.open >= kind.max) {
      if (isGrpc(request)) refuseGrpc(request, response, kind.code, TOO_MANY);
      else refuse(request, response, kind.httpStatus, TOO_MANY);
      return false;
    }
    kind.open++;
    response.once("close", () => kind.open--);
    return true;
  };
}

const TOO_MANY = "too many streams";

function refuse(request: NodeRequest, response: NodeResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
  response.end(`${text}\n`);
  request.resume();
}

/** Ends a call of gRPC or gRPC-Web by HTTP 200 with a status in the headers ("Trailers-Only"). */
function refuseGrpc(request: NodeRequest, response: NodeResponse, status: Code, message: string): void {
  // With writeHead, the stream would end by an empty DATA frame, and the status counts in the last headers only.
  response.statusCode = 200;
  response.setHeader("content-type", contentTypeOf(request));
  response.setHeader("grpc-status", String(status));
  response.setHeader("grpc-message", message);
  response.end();
  // Reads and drops the rest of the request, so that the client does not wait for room to send.
  request.resume();
}

const isGrpc = (request: NodeRequest): boolean => /^application\/grpc(?:$|[-+;])/i.test(contentTypeOf(request));

const contentTypeOf = ({ headers }: NodeRequest): string => headers["content-type"] ?? "";
