import { codeOf, ruleOf } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Code } from "@connectrpc/connect";
import type { NodeHandler } from "./listen-one-port.ts";
import { type NodeRequest, receivedOf } from "./received-request.ts";

/**
 * Refuses an RPC or a service that does not exist as gRPC and gRPC-Web want it: HTTP 200 with the status UNIMPLEMENTED
 * in the headers ("Trailers-Only"). To such a client HTTP 404 is a fault of a proxy. Other requests go to `otherwise`.
 */
export function refuseUnknownRpc(otherwise: NodeHandler): NodeHandler {
  const { rpcCode, message, httpStatus } = ruleOf(Reason.UNIMPLEMENTED);
  return (request, response) => {
    if (!isGrpc(request)) {
      otherwise(request, response);
      return;
    }
    receivedOf(request).outcome = { route: "none", caller: "", status: httpStatus, code: codeOf(Reason.UNIMPLEMENTED) };
    refuseGrpc(request, response, rpcCode, message);
  };
}

/** Ends a call of gRPC or gRPC-Web by a status in the headers of its reply. */
export function refuseGrpc(
  request: NodeRequest,
  response: Parameters<NodeHandler>[1],
  status: Code,
  message: string,
): void {
  // Not writeHead, after which the stream would end by an empty DATA frame: the status counts in the last headers only.
  response.statusCode = 200;
  response.setHeader("content-type", contentTypeOf(request));
  response.setHeader("grpc-status", String(status));
  response.setHeader("grpc-message", message);
  response.end();
  // What the client still sends is read and dropped, so that it does not wait for room to send.
  request.resume();
}

/** Whether the content type is that of gRPC or gRPC-Web. */
export const isGrpc = (request: NodeRequest): boolean => /^application\/grpc(?:$|[-+;])/i.test(contentTypeOf(request));

function contentTypeOf({ headers }: NodeRequest): string {
  return headers["content-type"] ?? "";
}
