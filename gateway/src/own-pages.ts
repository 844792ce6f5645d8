import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { healthPage } from "@cloud/program";
import type { HttpResponse } from "@cloud/transcoder";
import type { OpenapiDocument } from "@cloud/transcoder/openapi";
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
    ["/api/openapi.json", oneInTurn(page("application/json", openapi))],
    ["/api/docs", oneInTurn(page("text/html; charset=utf-8", reference, REFERENCE_POLICY))],
  ]);
}

/**
 * Serves a large page once in a turn of the event loop: to send 0.5 MB takes 0.4 ms, and 1,000 at once, for which no
 * client needs a token, delayed all others by 0.4 s.
 */
function oneInTurn(content: HttpResponse): () => Promise<HttpResponse> {
  let last: Promise<unknown> = Promise.resolve();
  return async () => {
    last = last.then(() => nextTurn());
    await last;
    return content;
  };
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
