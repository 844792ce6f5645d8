export { editDistance, nearestNames } from "./binding/nearest-names.ts";
export { type FieldPath, isSamePath, type Place, type RequestPart } from "./binding/place.ts";
export type { BindingOptions, QueryLimits } from "./binding/reading.ts";
export { createTranscoder, type Transcoder } from "./create-transcoder.ts";
export { badRequest } from "./errors/error-details.ts";
export { renderError } from "./errors/render-error.ts";
export {
  TranscodingError,
  type TranscodingErrorDetail,
  type TranscodingErrorKind,
  type Violation,
} from "./errors/transcoding-error.ts";
export { type Cors, type CorsOptions, createCors } from "./http/cors.ts";
export type { HttpRequest, HttpResponse, RequestMetadata, ResponseStream, StreamPart } from "./http/messages.ts";
export type { ContentEncoding, JsonTypes } from "./http/negotiation.ts";
export { writeResponse } from "./http/write-response.ts";
export { MAX_NESTING } from "./json-in/parse-json.ts";
export { hasOwnJson } from "./json-in/read-own-json.ts";
export { AnswerTooLarge, type JsonOptions } from "./json-out/render-json.ts";
export type { FetchHandler } from "./listeners/fetch-handler.ts";
export { compileRoutes, type TranscodedService } from "./rules/compile-routes.ts";
export {
  declaredRule,
  type HttpPattern,
  type HttpRule,
  InvalidRules,
  type RuleFault,
  type RuleOf,
  type RuleSources,
} from "./rules/http-rules.ts";
export type { PathTemplate, Segment, TemplateVariable } from "./rules/path-template.ts";
export { InvalidDescriptors, readServices } from "./rules/read-services.ts";
export type { BinaryReply, ReplyHeaders, RouteTransport } from "./rules/route.ts";
export { printRoutes, type Route } from "./rules/route.ts";
export { REPLY_METADATA, REQUEST_METADATA } from "./serving/reply.ts";
export type { RequestListener } from "./serving/serve.ts";
export type { ServerSentEvent, StreamSettings, StreamType } from "./streams/stream-format.ts";
export type {
  MethodSettings,
  ReadReply,
  TranscoderCall,
  TranscoderHooks,
  TranscoderOptions,
} from "./transcoder-options.ts";
