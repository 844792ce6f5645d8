import type { Header, Parameter } from "@cloud/transcoder/openapi";

type Headers = Readonly<Record<string, Header>>;

/** Of every response. */
export const RESPONSE_HEADERS: Headers = {
  "X-Request-Id": {
    description: "The id of the request in the log: that of the request, or a new one.",
    required: true,
    schema: { type: "string", minLength: 1, maxLength: 128 },
  },
};

/** Of a success, where rate limits are set. */
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

/** Of a response with 503 or 504. */
export const RETRY_HEADERS: Headers = {
  "Retry-After": {
    description: "Seconds to wait before the next try: with 429, until the window of the limit ends.",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
};

/** Of a response with 429. */
export const REFUSAL_HEADERS: Headers = { ...RETRY_HEADERS, ...RATE_LIMIT_HEADERS };

/** Of a response with 401. */
export const CHALLENGE_HEADERS: Headers = {
  "WWW-Authenticate": { description: "`Bearer`.", required: true, schema: { const: "Bearer" } },
};

/** Of a response with 201. */
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

/** That any request may have. */
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
    description: "The id of the request in the log. Any other than 1 to 128 printable ASCII characters is replaced.",
    schema: { type: "string", minLength: 1, maxLength: 128, pattern: "^[!-~]+$" },
  },
];
