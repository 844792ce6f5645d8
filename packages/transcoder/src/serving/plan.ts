import type { ReplyHeaders } from "../calls/call-route.ts";
import type { HttpRequest } from "../http/http-request.ts";
import type { HttpResponse } from "../http/http-response.ts";
import type { RouteTable } from "../matching/route-table.ts";
import type { Route } from "../rules/route.ts";
import type { Ending } from "../streams/ending.ts";
import type { TranscoderCall, TranscoderHooks, TranscoderOptions } from "../transcoder-options.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Headers } from "./reply.ts";

/** What the options make, once for all requests. */
export interface Plan {
  readonly options: TranscoderOptions;
  readonly table: RouteTable;
  readonly endpoints: ReadonlyMap<Route, Endpoint>;
  readonly hooks: TranscoderHooks;
  readonly renderError: (error: unknown, call: TranscoderCall) => HttpResponse | Promise<HttpResponse>;
  readonly forward: (request: HttpRequest) => Headers;
  readonly passBack: (received: ReplyHeaders) => Headers;
  readonly streams: { open: number; readonly most: number; readonly ending: Ending };
}

export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
