import type { IncomingMessage } from "node:http";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { Answer } from "./answer.ts";
import type { RuleOf, TranscodedService } from "./compile-routes.ts";
import type { Route } from "./route.ts";

export interface TranscoderOptions {
  /** Every service with methods to expose, and the transport that reaches it. */
  readonly services: readonly TranscodedService[];
  /** The HTTP rule of a method; a method without one is not reachable. */
  readonly rule: RuleOf;
  /** How long an RPC may take, in milliseconds; 10,000 where it is absent. */
  readonly deadlineMs?: number;
  /** The largest body, in bytes; 1 MiB where it is absent. */
  readonly bodyLimit?: number;
  /** The headers that the RPC is called with; none where it is absent. Values that are not printable ASCII are left out. */
  readonly forward?: (request: IncomingMessage) => Readonly<Record<string, string>>;
  readonly hooks: TranscoderHooks;
}

/** A request on its way; `route` is undefined until, and unless, one is found. */
export interface TranscoderCall {
  readonly request: IncomingMessage;
  /** As sent, without the query. */
  readonly path: string;
  readonly route: Route | undefined;
}

/** What the program decides. Only `error` is required; no hook can crash the listener. */
export interface TranscoderHooks {
  /** Renders whatever went wrong: a TranscodingError, the RPC's ConnectError, or what a hook threw. */
  readonly error: (error: unknown, call: TranscoderCall) => Answer;
  /** Called for every request whose route is known, before anything of it is read; what it throws is answered. */
  readonly admit?: (call: TranscoderCall) => void;
  /** Called before a fault of form (400, 413, 415) on a known route is answered; what it throws is answered instead. */
  readonly beforeReject?: (call: TranscoderCall) => Promise<void>;
  /** What a rule with body "*" is refused with when there is no body, or `null`; undefined takes it for `{}`. */
  readonly absentBody?: (method: DescMethod) => Error | undefined;
  /** The status of a success; 200 where it is absent. 204 is sent without a body. */
  readonly status?: (route: Route, reply: Message) => number;
  /** Headers of a success, besides Content-Type. */
  readonly headers?: (call: TranscoderCall, reply: Message) => Readonly<Record<string, string>>;
  /** Called once the answer was sent, with its status, or with 499 when the client went away before. */
  readonly answered?: (call: TranscoderCall, status: number) => void;
}
