import type { IncomingMessage } from "node:http";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { BindingOptions } from "./binding/binding-options.ts";
import type { ReplyHeaders } from "./calls/route-transport.ts";
import type { HttpResponse } from "./http/http-response.ts";
import type { JsonOptions } from "./json-out/json-options.ts";
import type { RuleOf, TranscodedService } from "./rules/compile-routes.ts";
import type { Route } from "./rules/route.ts";

export interface TranscoderOptions {
  /** Every service with methods to expose, and its transport. */
  readonly services: readonly TranscodedService[];
  /** Returns the HTTP rule of a method; a method without one is not exposed. */
  readonly rule: RuleOf;
  /** Whether a path is found with one slash too many at its end; "refuse" if absent. */
  readonly trailingSlash?: "refuse" | "forgive";
  /** How path, query and body become fields of the request message; strictly if absent. */
  readonly binding?: BindingOptions;
  /** How replies are written; as ProtoJSON has it by default if absent. */
  readonly json?: JsonOptions;
  /** Maximum duration of an RPC in milliseconds; 10,000 if absent. */
  readonly deadlineMs?: number;
  /** The largest body in bytes; 1 MiB if absent. */
  readonly bodyLimit?: number;
  /** The largest answer in bytes of JSON; 16 MiB if absent. */
  readonly answerLimit?: number;
  /** Returns the headers sent with the RPC; none if absent. Values that are not printable ASCII are dropped. */
  readonly forward?: (request: IncomingMessage) => Readonly<Record<string, string>>;
  readonly hooks?: TranscoderHooks;
}

/** A request in progress; `route` is undefined until one is found. */
export interface TranscoderCall {
  readonly request: IncomingMessage;
  /** As sent, without the query. */
  readonly path: string;
  readonly route: Route | undefined;
  /** When the request arrived, in milliseconds of `performance.now()`. */
  readonly startedAt: number;
}

/** Returns the reply of an RPC. To decode it costs more than to send it, so it is decoded only for a hook that asks. */
export type ReadReply = () => Message;

/** Decisions of the program; no hook can crash the listener. */
export interface TranscoderHooks {
  /**
   * Renders any error: a TranscodingError, AnswerTooLarge, the RPC's ConnectError, or one thrown by a hook. If absent, as a
   * google.rpc.Status, or as a problem of RFC 9457 to a client that prefers it.
   */
  readonly error?: (error: unknown, call: TranscoderCall) => HttpResponse;
  /** Called for every request with a route, before its query and body are read; throws to refuse it. */
  readonly admit?: (call: TranscoderCall) => void;
  /**
   * Called once a body is known to be larger than 16 KiB, before the rest of it is read; throws to refuse it. Reading and
   * parsing a body of 0.76 MB cost 750 ms of CPU.
   */
  readonly beforeLargeBody?: (call: TranscoderCall) => Promise<void>;
  /** Called before an error of form (400, 413, 415) on a known route is sent; throws to send another error instead. */
  readonly beforeReject?: (call: TranscoderCall) => Promise<void>;
  /** Returns the error for a rule with body "*" and no body, or `null`; undefined treats the body as `{}`. */
  readonly absentBody?: (method: DescMethod) => Error | undefined;
  /** Returns the status of a success; 200 if absent. 204 is sent without a body. */
  readonly status?: (route: Route, reply: ReadReply) => number;
  /** Returns the headers of a success, in addition to Content-Type; `received` are those of the RPC's reply. */
  readonly headers?: (
    call: TranscoderCall,
    reply: ReadReply,
    received: ReplyHeaders,
  ) => Readonly<Record<string, string>>;
  /** Called once the response was sent, with its status, or with 499 if the client disconnected before. */
  readonly responded?: (call: TranscoderCall, status: number) => void;
}
