import type { CorsOptions } from "@cloud/transcoder";
import * as z from "zod";

/** The origins of `CORS_ORIGINS`, separated by commas, or `*` for all; undefined for none. */
export const corsOrigins = () =>
  z
    .string()
    .default("")
    .transform((text) => text.split(",").flatMap((origin) => origin.trim() || []))
    .refine((origins) => origins.every(isOrigin) || (origins.length === 1 && origins[0] === "*"), {
      error: "must be * or origins such as https://app.example.com, separated by commas",
    })
    .transform((origins) => (origins[0] === "*" ? "*" : origins.length === 0 ? undefined : origins));

/** Returns what pages of these origins may send and read. Tokens are in a header, so no page needs cookies. */
export function corsOf(origins: CorsOptions["origins"]): CorsOptions {
  return {
    origins,
    requestHeaders: [
      "Authorization",
      "Content-Type",
      "service-current-orgid",
      "X-Request-Id",
      "traceparent",
      "tracestate",
    ],
    responseHeaders: [
      "Allow",
      "Location",
      "RateLimit",
      "RateLimit-Policy",
      "Retry-After",
      "WWW-Authenticate",
      "X-Request-Id",
    ],
  };
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}
