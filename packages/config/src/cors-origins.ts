import * as z from "zod";

/** The origins of `CORS_ORIGINS`, separated by commas, or `*` for all; undefined for none. */
export const corsOrigins = () =>
  z
    .string()
    .default("")
    .transform((text) => text.split(",").flatMap((origin) => origin.trim() || []))
    .refine((origins) => origins.every(isOrigin) || (origins.length === 1 && origins[0] === "*"), {
      error: "must be * or whole origins such as https://app.example.com, separated by commas",
    })
    .transform((origins) => (origins[0] === "*" ? "*" : origins.length === 0 ? undefined : origins));

/** A browser sends the whole origin, and it is compared as text: a pattern such as https://*.example.com never matches. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && /^https?:\/\/[^*]+$/.test(text);
}
