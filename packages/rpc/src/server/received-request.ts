import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { type ContextValues, createContextKey, createContextValues } from "@connectrpc/connect";

export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** A request as Node received it. */
export interface ReceivedRequest {
  readonly request: NodeRequest;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

export const receivedKey = createContextKey<ReceivedRequest | undefined>(undefined, {
  description: "received request",
});

/** Keeps the request for what runs before the library decodes its message. Belongs into the adapter's `contextValues`. */
export function keepReceived(request: NodeRequest): ContextValues {
  return createContextValues().set(receivedKey, { request, at: performance.now() });
}
