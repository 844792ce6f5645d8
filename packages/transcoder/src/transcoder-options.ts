import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { BindingOptions } from "./binding/reading.ts";
import type { CorsOptions } from "./http/cors.ts";
import type { HttpRequest, HttpResponse, RequestMetadata } from "./http/messages.ts";
import type { ContentEncoding, JsonTypes } from "./http/negotiation.ts";
import type { JsonOptions } from "./json-out/render-json.ts";
import type { TranscodedService } from "./rules/compile-routes.ts";
import type { RuleSources } from "./rules/http-rules.ts";
import type { ReplyHeaders, Route } from "./rules/route.ts";
import type { StreamSettings } from "./streams/stream-format.ts";

/** Overrides for one method. Absent fields are inherited from the transcoder's options. */
export interface MethodSettings {
  /** The reading of path, query and body into the request message; strict if absent. */
  readonly binding?: BindingOptions;
  /** The form of replies; ProtoJSON's default if absent. */
  readonly json?: JsonOptions;
  /** Maximum duration of a unary RPC in milliseconds, whatever client and transport do; 10,000 if absent. */
  readonly deadlineMs?: number;
  /** The largest body of a request in bytes, as sent and as decoded; 1 MiB if absent. */
  readonly bodyLimit?: number;
  /** The largest reply in bytes, of JSON or as it is, and the largest message of a stream; 16 MiB if absent. */
  readonly answerLimit?: number;
  /** The bounds of server streams. */
  readonly stream?: StreamSettings;
}

export interface TranscoderOptions extends MethodSettings, RuleSources {
  /** Every service with methods to expose, and its transport. */
  readonly services: readonly TranscodedService[];
  /** Returns what a method, or all of `method.parent`, has in its own way. Called once per method, at the start. */
  readonly settings?: (method: DescMethod) => MethodSettings | undefined;
  /** Whether a path is found with one slash too many at its end; "refuse" if absent. */
  readonly trailingSlash?: "refuse" | "forgive";
  /**
   * Whether a variable of several segments is decoded but for `%2F`, as the comment on `google.api.HttpRule` has it, or
   * keeps the escapes of all reserved characters of RFC 3986, as the comment on `google.api.Http` has it for `false`;
   * true if absent.
   */
  readonly fullyDecodeReservedExpansion?: boolean;
  /** Whether OPTIONS without a rule gets 204 with Allow, or 405; "reply" if absent. */
  readonly optionsRequests?: "reply" | "refuse";
  /** Whether bodies of types that end in +json are JSON, too; "suffix" if absent. */
  readonly jsonTypes?: JsonTypes;
  /** Encodings of bodies that are decoded; gzip, br and deflate if absent. */
  readonly requestEncodings?: readonly ContentEncoding[];
  /** The most decoded bytes for each one sent, once more than 64 KiB are decoded; 100 if absent. */
  readonly decodingRatio?: number;
  /** The pages of other origins that may call; none if absent. */
  readonly cors?: CorsOptions;
  /** Whether `grpc-timeout` and `connect-timeout-ms` shorten the deadline; "accept" if absent. */
  readonly callerDeadlines?: "accept" | "ignore";
  /**
   * Headers of the request that the RPC receives; `REQUEST_METADATA` if absent. Values beyond printable ASCII are
   * dropped.
   */
  readonly forward?: RequestMetadata;
  /**
   * Headers and trailers of the reply, or of its error, that the response has; `REPLY_METADATA` if absent. A stream
   * has none of its trailers: its head has been sent.
   */
  readonly passBack?: readonly string[];
  /** The most server streams that are open at once; beyond it UNAVAILABLE. 1,024 if absent. */
  readonly maxStreams?: number;
  readonly hooks?: TranscoderHooks;
}

/** A request in progress; `route` is undefined until one is found. */
export interface TranscoderCall {
  readonly request: HttpRequest;
  /** The path as sent, without the query. */
  readonly path: string;
  readonly route: Route | undefined;
  /** The time of the request's arrival, in milliseconds of `performance.now()`. */
  readonly startedAt: number;
}

/** Returns the reply of an RPC. To decode it costs more than to send it, so it is decoded only for a hook that asks. */
export type ReadReply = () => Message;

/** The places at which a program can act, in the order of a request. No hook can crash the listener. */
export interface TranscoderHooks {
  /**
   * Runs for each request with a route, before the query and the message are read. An error that it throws refuses the
   * request. Synchronous, because a promise would delay all requests by a turn of the microtask queue.
   */
  readonly matched?: (call: TranscoderCall) => void;
  /**
   * Called once a body is known to be larger than 16 KiB, before the rest of it is read; throws to refuse it. Reading
   * and parsing a body of 0.76 MB cost 750 ms of CPU.
   */
  readonly largeBody?: (call: TranscoderCall) => Promise<void>;
  /**
   * Called with the request message before the RPC; throws to refuse it. `hasBody` is false without a body, and for
   * `null`, which become the same message as `{}`.
   */
  readonly bound?: (call: TranscoderCall, message: Message, hasBody: boolean) => Promise<void> | undefined;
  /** Returns the status of a success; 200 if absent. 204 is sent without a body. */
  readonly status?: (route: Route, reply: ReadReply) => number;
  /**
   * Returns headers of a success, in addition to Content-Type and `passBack`; `received` are the RPC reply's headers.
   */
  readonly headers?: (
    call: TranscoderCall,
    reply: ReadReply,
    received: ReplyHeaders,
  ) => Readonly<Record<string, string>>;
  /**
   * Renders any error: a TranscodingError, AnswerTooLarge, the RPC's ConnectError, or one thrown by a hook. If absent,
   * errors are rendered as a google.rpc.Status. In the middle of a stream only the body is used, which must be JSON.
   */
  readonly error?: (error: unknown, call: TranscoderCall) => HttpResponse | Promise<HttpResponse>;
  /** Called once the response was sent, with its status, or with 499 if the client disconnected before. */
  readonly responded?: (call: TranscoderCall, status: number) => void;
}
