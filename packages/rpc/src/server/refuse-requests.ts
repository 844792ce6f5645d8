import { codeOf, ruleOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { findRequestFault } from "@cloud/runtime";
import { Code } from "@connectrpc/connect";
import { type NodeRequest, receivedOf } from "../follow-calls.ts";
import type { NodeHandler } from "./http1-server.ts";

type NodeResponse = Parameters<NodeHandler>[1];

/**
 * Refuses what the library must not see: a host that ends the process, a form that it does not read, and streams beyond
 * their limits.
 */
export function refuseUnusable(handler: NodeHandler): NodeHandler {
  const mayOpen = limitOpenStreams();
  return (request, response) => {
    if (TEXT_FORM.test(contentTypeOf(request))) return refuse(request, response, 415, NO_TEXT_FORM);
    if (!hasUsableHost(request)) return refuse(request, response, 400, "header Host must be a host, and a port if any");
    if (mayOpen(request, response)) handler(request, response);
  };
}

/** Refuses what is no RPC of this server; one of gRPC in its own form: to such a client HTTP 404 is a fault of a proxy. */
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
/** Generated code of `protoc-gen-grpc-web` has the text form by default, which is for browsers without binary replies. */
const NO_TEXT_FORM =
  "application/grpc-web-text is not served: send application/grpc-web+proto (protoc-gen-grpc-web: mode=grpcweb)";

/**
 * Whether there is a host that can be part of a URL, unlike `[` or `a:99999`. The library makes a URL of it where it throws
 * into the server of Node: one such request, without a token, ended the process.
 */
function hasUsableHost(request: NodeRequest): boolean {
  const host = "authority" in request ? request.authority : request.headers.host;
  return host !== undefined && URL.canParse(`http://${host}`); // protects: usable-host
}

/** Streams that need no token, open at a time in a process, and how those beyond it are refused. */
const STREAMS = [
  /**
   * A load balancer keeps one for each of its own processes. A client whose watch is UNIMPLEMENTED takes the server for
   * healthy; after any other error, for one that cannot serve (gRFC A17).
   */
  { path: "/grpc.health.v1.Health/Watch", max: 100, code: Code.Unimplemented, httpStatus: 501 },
  /** A tool opens one; 36 bytes ask for 32 KB. */
  { path: "/grpc.reflection.", max: 16, code: Code.ResourceExhausted, httpStatus: 429 },
];

/** Returns whether a request may begin, and refuses it if not: in the library, each would take a millisecond and 100 KB. */
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
  // Not writeHead, after which the stream would end by an empty DATA frame: the status counts in the last headers only.
  response.statusCode = 200;
  response.setHeader("content-type", contentTypeOf(request));
  response.setHeader("grpc-status", String(status));
  response.setHeader("grpc-message", message);
  response.end();
  // What the client still sends is read and dropped, so that it does not wait for room to send.
  request.resume();
}

const isGrpc = (request: NodeRequest): boolean => /^application\/grpc(?:$|[-+;])/i.test(contentTypeOf(request));

const contentTypeOf = ({ headers }: NodeRequest): string => headers["content-type"] ?? "";
