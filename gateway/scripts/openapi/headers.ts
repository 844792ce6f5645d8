import type { Header, Parameter, Schema } from "@cloud/transcoder/openapi";

type Headers = Readonly<Record<string, Header>>;

/** The headers of every response. */
export const RESPONSE_HEADERS: Headers = {
  "X-Request-Id": {
    description:
      "The id of the request: its own `X-Request-Id`, or a new one. Lines of the log about the request have it.",
    required: true,
    schema: { type: "string", minLength: 1, maxLength: 128 },
  },
  "Cache-Control": {
    description: "`no-store`: no cache keeps a response. A client may keep a record with its `ETag` itself.",
    required: true,
    schema: { const: "no-store" },
  },
};

/** The headers of a success, where rate limits are set. */
export const RATE_LIMIT_HEADERS: Headers = {
  "RateLimit-Policy": {
    description:
      'The limits that the request counts for, where there are any: `"token";q=600;w=60` is 600 requests of a token in ' +
      "60 seconds.",
    schema: { type: "string" },
  },
  RateLimit: {
    description: 'What is left of them: `"token";r=599;t=37` is 599 requests, for 37 seconds.',
    schema: { type: "string" },
  },
};

/** The headers of a response with 503 or 504. */
export const RETRY_HEADERS: Headers = {
  "Retry-After": {
    description: "Seconds to wait before the next try: with 429, until the window of the limit ends.",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
};

/** The headers of a response with 429. */
export const REFUSAL_HEADERS: Headers = { ...RETRY_HEADERS, ...RATE_LIMIT_HEADERS };

/** The headers of a response with 401. */
export const CHALLENGE_HEADERS: Headers = {
  "WWW-Authenticate": { description: "`Bearer`.", required: true, schema: { const: "Bearer" } },
};

/** The headers of a response with 201. */
export const LOCATION_HEADERS: Headers = {
  Location: {
    description: "The path of the record.",
    required: true,
    schema: {
      type: "string",
      format: "uri-reference",
      examples: ["/api/workspaces/019b76da-a800-7000-8000-000000000001"],
    },
  },
};

/** The headers of a success that returns one record, and of a response with 304. */
export const ETAG_HEADERS: Headers = {
  ETag: {
    description: "The entity tag of the record: it changes with each write. The same as `etag` of the record.",
    required: true,
    schema: { type: "string", examples: ['"9f2c6b1e4d0a7c35"'] },
  },
};

/** Has no example: the reference sends examples with each request that a reader tries, and no record has this tag. */
const WANTED_TAGS: Schema = { type: "string" };

/** The header of a request for one record. */
export const IF_NONE_MATCH: Parameter = {
  name: "If-None-Match",
  in: "header",
  description: "Entity tags that the client has. If the record has one of them, the response is 304 without a body.",
  schema: WANTED_TAGS,
};

/** The header of a request that changes or deletes a record. */
export const IF_MATCH: Parameter = {
  name: "If-Match",
  in: "header",
  description:
    "Entity tags, at most 100, or `*` for any: the record must have one of them at the moment of the write. Otherwise the " +
    "response is 412, and nothing has changed.",
  schema: WANTED_TAGS,
};

/** The header of a request that creates a record. */
export const IDEMPOTENCY_KEY: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Makes a retry safe: for 24 hours, requests of the same caller with the same key get the reply of the first that " +
    "succeeded, and create nothing. It should be a UUID. With another request, the response is 422.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
};

/** The header of a request for a stream that can be continued. */
export const LAST_EVENT_ID: Parameter = {
  name: "Last-Event-ID",
  in: "header",
  description: "The id of the last event that the client received: the same as `after`, where that is absent.",
  schema: { type: "string" },
};

/** The headers of a success that creates a record. */
export const REPLAY_HEADERS: Headers = {
  "Idempotent-Replayed": {
    description: "`true` if the reply is that of an earlier request with the same `Idempotency-Key`; absent otherwise.",
    schema: { const: "true" },
  },
};

/** The headers that any request may have. */
export const REQUEST_HEADERS: readonly Parameter[] = [
  {
    name: "service-current-orgid",
    in: "header",
    description:
      "The id of the current organization, instead of the stored preference. Ignored if the caller is not a member of it.",
    schema: { type: "string", format: "uuid" },
  },
  {
    name: "X-Request-Id",
    in: "header",
    description:
      "The id of the request, which the response and lines of the log about the request have. Any other than 1 to 128 " +
      "printable ASCII characters without spaces is replaced, and so is a security token.",
    schema: { type: "string", minLength: 1, maxLength: 128, pattern: "^[!-~]+$" },
  },
  {
    name: "traceparent",
    in: "header",
    description:
      "The trace and the span of the caller (W3C Trace Context): all that the request causes belongs to them. A malformed " +
      "one is ignored.",
    // Without an example, which the reference would send with each request that it tries: one trace for all readers.
    schema: { type: "string", pattern: "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$" },
  },
];
