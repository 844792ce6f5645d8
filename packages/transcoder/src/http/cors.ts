import type { HttpRequest, HttpResponse } from "./messages.ts";
import { withVary } from "./negotiation.ts";

/** The pages of other origins that may call, and the headers that they may send and read. */
export interface CorsOptions {
  /** The origins that may call, such as "https://app.example.com"; "*" for all, without credentials. */
  readonly origins: readonly string[] | "*";
  /** Headers that a page may send besides the safelisted ones; Content-Type if absent. */
  readonly requestHeaders?: readonly string[];
  /** Headers of a response that a page may read besides the safelisted ones; none if absent. */
  readonly responseHeaders?: readonly string[];
  /** Whether cookies and client certificates are sent along; false if absent. */
  readonly credentials?: boolean;
  /** Seconds for which a browser keeps the answer to a preflight request; 600 if absent. */
  readonly maxAgeSeconds?: number;
}

export interface Cors {
  /** Adds what allows the page to read the response. */
  allow(request: HttpRequest, response: HttpResponse): HttpResponse;
  /** Returns the headers of the response to a preflight request; none for another OPTIONS request. */
  preflight(request: HttpRequest, methods: readonly string[]): Readonly<Record<string, string>>;
}

/** Creates the headers of CORS (the Fetch standard, 3.2). @throws TypeError for all origins with credentials */
export function createCors(options: CorsOptions): Cors {
  const { origins, requestHeaders = ["Content-Type"], responseHeaders = [], credentials = false } = options;
  if (origins === "*" && credentials) throw new TypeError("CORS: credentials need a list of origins");
  const known = new Set(origins === "*" ? [] : origins);
  const maxAge = String(options.maxAgeSeconds ?? 600);
  const originOf = ({ headers: { origin } }: HttpRequest): string | undefined => {
    if (origin === undefined) return undefined;
    if (origins === "*") return "*";
    return known.has(origin) ? origin : undefined;
  };
  const allowed = (origin: string): Readonly<Record<string, string>> => ({
    "Access-Control-Allow-Origin": origin,
    ...(credentials && { "Access-Control-Allow-Credentials": "true" }),
  });
  return {
    allow(request, response) {
      const origin = originOf(request);
      const exposed = responseHeaders.length > 0 && { "Access-Control-Expose-Headers": responseHeaders.join(", ") };
      const headers = origin === undefined ? response.headers : { ...response.headers, ...allowed(origin), ...exposed };
      // Also without an allowed origin: a cache must not give the response to another one.
      return { ...response, headers: origins === "*" ? headers : withVary(headers, "Origin") };
    },
    preflight(request, methods) {
      if (request.headers["access-control-request-method"] === undefined || originOf(request) === undefined) return {};
      return {
        "Access-Control-Allow-Methods": methods.join(", "),
        "Access-Control-Allow-Headers": requestHeaders.join(", "),
        "Access-Control-Max-Age": maxAge,
        Vary: "Access-Control-Request-Method, Access-Control-Request-Headers",
      };
    },
  };
}
