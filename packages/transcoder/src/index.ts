export { badRequest } from "./bad-request.ts";
export type { BindingOptions, QueryLimits } from "./binding-options.ts";
export { compileRoutes, type RuleOf, type TranscodedService } from "./compile-routes.ts";
export { createTranscoder, type RequestListener } from "./create-transcoder.ts";
export { type HttpResponse, writeResponse } from "./http-response.ts";
export type { HttpPattern, HttpRule } from "./http-rule.ts";
export { InvalidRules, type RuleFault } from "./invalid-rules.ts";
export type { JsonOptions } from "./json-options.ts";
export { MAX_NESTING } from "./parse-json.ts";
export type { PathTemplate, Segment, TemplateVariable } from "./path-template.ts";
export type { Place, RequestPart } from "./place.ts";
export { hasOwnJson } from "./read-own-json.ts";
export { renderError } from "./render-error.ts";
export type { FieldPath, Route } from "./route.ts";
export type { BinaryReply, ReplyHeaders, RouteTransport } from "./route-transport.ts";
export type { ReadReply, TranscoderCall, TranscoderHooks, TranscoderOptions } from "./transcoder-options.ts";
export {
  TranscodingError,
  type TranscodingErrorDetail,
  type TranscodingErrorKind,
  type Violation,
} from "./transcoding-error.ts";
export { AnswerTooLarge } from "./write-json.ts";
