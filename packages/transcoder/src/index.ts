export type { BindingOptions, QueryLimits } from "./binding/binding-options.ts";
export type { Place, RequestPart } from "./binding/place.ts";
export type { BinaryReply, ReplyHeaders, RouteTransport } from "./calls/route-transport.ts";
export { createTranscoder, type RequestListener } from "./create-transcoder.ts";
export { badRequest } from "./errors/bad-request.ts";
export { renderError } from "./errors/render-error.ts";
export {
  TranscodingError,
  type TranscodingErrorDetail,
  type TranscodingErrorKind,
  type Violation,
} from "./errors/transcoding-error.ts";
export { type HttpResponse, writeResponse } from "./http/http-response.ts";
export { MAX_NESTING } from "./json-in/parse-json.ts";
export { hasOwnJson } from "./json-in/read-own-json.ts";
export type { JsonOptions } from "./json-out/json-options.ts";
export { AnswerTooLarge } from "./json-out/write-json.ts";
export { compileRoutes, type RuleOf, type TranscodedService } from "./rules/compile-routes.ts";
export type { HttpPattern, HttpRule } from "./rules/http-rule.ts";
export { InvalidRules, type RuleFault } from "./rules/invalid-rules.ts";
export type { PathTemplate, Segment, TemplateVariable } from "./rules/path-template.ts";
export type { FieldPath, Route } from "./rules/route.ts";
export type { ReadReply, TranscoderCall, TranscoderHooks, TranscoderOptions } from "./transcoder-options.ts";
