import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { type Correlation, correlationFrom } from "@cloud/telemetry";
import { type ContextValues, createContextKey, createContextValues } from "@connectrpc/connect";

export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** How a call ended, as its line in the log has it. */
export interface Outcome {
  /** `<package>.<service>/<method>`, or `none`. */
  readonly route: string;
  readonly caller: string;
  readonly status: number;
  readonly code: string;
}

/** A request as Node received it. */
export interface ReceivedRequest {
  readonly request: NodeRequest;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
  /** Of the caller, until a span of this program is its parent. */
  correlation: Correlation;
  /** Undefined until the call has ended, and for what no interceptor has seen. */
  outcome: Outcome | undefined;
}

export const receivedKey = createContextKey<ReceivedRequest | undefined>(undefined, {
  description: "received request",
});

/** Kept at the request itself: a WeakMap costs a collection of garbage more for each request that it holds. */
const RECEIVED = Symbol("received request");

/** Returns the same for a request each time. */
export function receivedOf(request: NodeRequest & { [RECEIVED]?: ReceivedRequest }): ReceivedRequest {
  request[RECEIVED] ??= {
    request,
    at: performance.now(),
    correlation: correlationFrom(request.headers),
    outcome: undefined,
  };
  return request[RECEIVED];
}

/** Keeps the request for what runs before the library decodes its message. Belongs into the adapter's `contextValues`. */
export function keepReceived(request: NodeRequest): ContextValues {
  return createContextValues().set(receivedKey, receivedOf(request));
}
