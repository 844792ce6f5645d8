import type { IncomingHttpHeaders } from "node:http";
import { type Correlation, correlationFrom } from "@cloud/telemetry";

/** What is kept about a request until it has ended, for its line in the log and its span. */
export interface FollowedRequest {
  /** Of the client, until a span of the gateway is its parent. */
  correlation: Correlation;
  /** The id of the user, as the service has found it; empty before, and without one. */
  caller: string;
  /** The reason of the error that it ends with; `OK` without. */
  code: string;
}

/** Kept at the request itself: a WeakMap costs a collection of garbage more for each request that it holds. */
const FOLLOWED = Symbol("followed request");

interface Identified {
  readonly headers: IncomingHttpHeaders;
  [FOLLOWED]?: FollowedRequest;
}

/** Returns the same for a request each time. */
export function followedRequest(request: Identified): FollowedRequest {
  request[FOLLOWED] ??= { correlation: correlationFrom(request.headers), caller: "", code: "OK" };
  return request[FOLLOWED];
}

/**
 * Returns the id of a request: the client's `x-request-id` if it is printable and at most 128 characters long,
 * otherwise a new UUID.
 */
export function requestIdOf(request: Identified): string {
  return followedRequest(request).correlation.requestId;
}
