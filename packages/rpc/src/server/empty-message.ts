import { encodeEnvelope, type UniversalHandler } from "@connectrpc/connect/protocol";

export type UniversalRequest = Parameters<UniversalHandler>[0];

/** Replaces the message by an empty one in the same format. The other headers stay: the handler may refuse them. */
export function withEmptyMessage(request: UniversalRequest): UniversalRequest {
  const header = new Headers(request.header);
  header.delete("content-encoding");
  header.delete("content-length");
  const contentType = header.get("content-type") ?? "";
  const message = new TextEncoder().encode(/json/i.test(contentType) ? "{}" : "");
  const isFramed = /^application\/(?:grpc|connect\+)/i.test(contentType);
  return { ...request, header, body: bodyOf(isFramed ? encodeEnvelope(0, message) : message) };
}

async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
