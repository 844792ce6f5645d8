export type { BindingOptions, QueryLimits } from "./binding/binding-options.ts";
export { editDistance, nearestNames } from "./binding/nearest-names.ts";
export type { Place, RequestPart } from "./binding/place.ts";
export type { BinaryReply, ReplyHeaders, RouteTransport } from "./calls/call-route.ts";
export { createTranscoder, type Transcoder } from "./create-transcoder.ts";
export { badRequest } from "./errors/bad-request.ts";
export { renderError } from "./errors/render-error.ts";
export {
  TranscodingError,
  type TranscodingErrorDetail,
  type TranscodingErrorKind,
  type Violation,
} from "./errors/transcoding-error.ts";
export type { ContentEncoding } from "./http/content-encoding.ts";
export { type Cors, type CorsOptions, createCors } from "./http/cors.ts";
export type { HttpRequest } from "./http/http-request.ts";
export type { HttpResponse, ResponseStream, StreamPart } from "./http/http-response.ts";
export type { JsonTypes } from "./http/media-type.ts";
export { writeResponse } from "./http/write-response.ts";
export { MAX_NESTING } from "./json-in/parse-json.ts";
export { hasOwnJson } from "./json-in/read-own-json.ts";
export type { JsonOptions } from "./json-out/json-options.ts";
export { AnswerTooLarge } from "./json-out/write-json.ts";
export type { FetchHandler } from "./listeners/fetch-handler.ts";
export { compileRoutes, type TranscodedService } from "./rules/compile-routes.ts";
export { declaredRule, type RuleOf, type RuleSources } from "./rules/find-rules.ts";
export type { HttpPattern, HttpRule } from "./rules/http-rule.ts";
export { InvalidRules, type RuleFault } from "./rules/invalid-rules.ts";
export type { PathTemplate, Segment, TemplateVariable } from "./rules/path-template.ts";
export { printRoutes } from "./rules/print-routes.ts";
export { InvalidDescriptors, readServices } from "./rules/read-services.ts";
export type { FieldPath, Route } from "./rules/route.ts";
export { REPLY_METADATA, REQUEST_METADATA, type RequestMetadata } from "./serving/reply.ts";
export type { RequestListener } from "./serving/serve.ts";
export type { ServerSentEvent, StreamSettings, StreamType } from "./streams/stream-settings.ts";
export type {
  MethodSettings,
  ReadReply,
  TranscoderCall,
  TranscoderHooks,
  TranscoderOptions,
} from "./transcoder-options.ts";
