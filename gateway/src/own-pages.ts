import { readFileSync } from "node:fs";
import type { Answer } from "@cloud/transcoder";
import type { Registry } from "prom-client";
import type { OpenapiDocument } from "./openapi/document.ts";
import { unreachableServices } from "./readiness.ts";
import { renderReference } from "./reference/render-reference.ts";
import type { Upstreams } from "./services.ts";

/** What the gateway answers itself, to GET and HEAD, without a token. */
export type OwnPages = ReadonlyMap<string, () => Promise<Answer>>;

export interface OwnPagesOptions {
  readonly upstreams: Upstreams;
  readonly isLeaving: () => boolean;
  readonly metrics: Registry;
}

/** Makes the pages by path: probes, metrics, and the reference of the API. */
export function createOwnPages({ upstreams, isLeaving, metrics }: OwnPagesOptions): OwnPages {
  const openapi = readFileSync(new URL("../openapi.json", import.meta.url), "utf8");
  const reference = renderReference(JSON.parse(openapi) as OpenapiDocument);
  const readiness = async () => readinessOf(await unreachableServices(upstreams), Object.keys(upstreams).length);
  return new Map([
    ["/healthz", async () => page(200, "text/plain; charset=utf-8", "ok\n")],
    ["/readyz", async () => (isLeaving() ? notReady("stopping\n") : await readiness())],
    ["/metrics", async () => page(200, metrics.contentType, await metrics.metrics())],
    ["/api/openapi.json", async () => page(200, "application/json", openapi)],
    ["/api/docs", async () => page(200, "text/html; charset=utf-8", reference, REFERENCE_POLICY)],
  ]);
}

// The page carries its own style and nothing else: no script, no image, no request to anywhere.
const REFERENCE_POLICY = {
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "Cache-Control": "no-cache",
};

/** What needs a service that is down is answered with 503; the rest of the API must not go down with it. */
function readinessOf(unreachable: readonly string[], services: number): Answer {
  const text = unreachable.length === 0 ? "ready\n" : `not reachable: ${unreachable.join(", ")}\n`;
  return unreachable.length === services ? notReady(text) : page(200, "text/plain; charset=utf-8", text);
}

const notReady = (why: string) => page(503, "text/plain; charset=utf-8", why, { "Retry-After": "1" });

function page(status: number, type: string, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "Content-Type": type, "X-Content-Type-Options": "nosniff", ...headers }, body };
}
