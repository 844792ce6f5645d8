import type { NodeHandler } from "./listen-one-port.ts";

const TEXT_FORM = /^application\/grpc-web-text(?:$|[-+;\s])/i;

/**
 * Refuses gRPC-Web's text form, which is base64 for browsers without binary replies, and names what to use: generated code of
 * `protoc-gen-grpc-web` has it by default, and a 415 without a body says nothing about that.
 */
export function refuseGrpcWebText(otherwise: NodeHandler): NodeHandler {
  return (request, response) => {
    if (!TEXT_FORM.test(request.headers["content-type"] ?? "")) return otherwise(request, response);
    response.writeHead(415, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
    response.end(
      "application/grpc-web-text is not served: send application/grpc-web+proto (protoc-gen-grpc-web: mode=grpcweb)\n",
    );
  };
}
