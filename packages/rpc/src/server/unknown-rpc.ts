import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { codeOf, ruleOf } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { NodeHandler } from "./listen-one-port.ts";
import { receivedOf } from "./received-request.ts";

type Request = IncomingMessage | Http2ServerRequest;

/**
 * Refuses an RPC or a service that does not exist as gRPC and gRPC-Web want it: HTTP 200 with the status UNIMPLEMENTED
 * in the headers ("Trailers-Only"). To such a client HTTP 404 is a fault of a proxy. Other requests go to `otherwise`.
 */
export function refuseUnknownRpc(otherwise: NodeHandler): NodeHandler {
  const { rpcCode, message, httpStatus } = ruleOf(Reason.UNIMPLEMENTED);
  return (request, response) => {
    const contentType = contentTypeOf(request);
    if (!/^application\/grpc(?:$|[-+;])/i.test(contentType)) {
      otherwise(request, response);
      return;
    }
    receivedOf(request).outcome = { route: "none", caller: "", status: httpStatus, code: codeOf(Reason.UNIMPLEMENTED) };
    // Not writeHead, after which the stream would end by an empty DATA frame: the status counts in the last headers only.
    response.statusCode = 200;
    response.setHeader("content-type", contentType);
    response.setHeader("grpc-status", String(rpcCode));
    response.setHeader("grpc-message", message);
    response.end();
    // What the client still sends is read and dropped, so that it does not wait for room to send.
    request.resume();
  };
}

function contentTypeOf({ headers }: Request): string {
  return headers["content-type"] ?? "";
}
