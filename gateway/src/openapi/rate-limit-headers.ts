import type { Header } from "./document.ts";

/** The headers of a response that describe rate limits, by their names; a part of the document that all operations refer to. */
export const RATE_LIMIT_HEADERS = {
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
} satisfies Readonly<Record<string, Header>>;

/** The headers of a response with 429. */
export const REFUSAL_HEADERS = {
  "Retry-After": { description: "Seconds until the window of the limit ends.", schema: { type: "integer" } },
  ...RATE_LIMIT_HEADERS,
} satisfies Readonly<Record<string, Header>>;

/** Returns references to the headers. */
export function referTo(headers: Readonly<Record<string, Header>>): Record<string, { readonly $ref: string }> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
