import { readFileSync } from "node:fs";
import { healthPage } from "@cloud/program";
import type { HttpResponse } from "@cloud/transcoder";
import type { OpenapiDocument } from "./openapi/document.ts";
import { renderReference } from "./reference/render-reference.ts";

/** Pages that the gateway serves itself, to GET and HEAD, without a token. */
export type OwnPages = ReadonlyMap<string, () => Promise<HttpResponse>>;

/**
 * Creates the pages by path: the reference of the API, and `/healthz`, a constant, for load balancers that ask the port
 * they send requests to. What operators read is on a port of its own.
 */
export function createOwnPages(): OwnPages {
  const openapi = readFileSync(new URL("../openapi.json", import.meta.url), "utf8");
  const reference = renderReference(JSON.parse(openapi) as OpenapiDocument);
  return new Map([
    ["/healthz", async () => page(healthPage.contentType, healthPage.body)],
    ["/api/openapi.json", async () => page("application/json", openapi)],
    ["/api/docs", async () => page("text/html; charset=utf-8", reference, REFERENCE_POLICY)],
  ]);
}

// The page has an inline style and nothing else: no script, no image, no request to anywhere. A link out of it reveals
// not even where the reader comes from.
const REFERENCE_POLICY = {
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

function page(type: string, body: string, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return { status: 200, headers: { "Content-Type": type, "X-Content-Type-Options": "nosniff", ...headers }, body };
}
