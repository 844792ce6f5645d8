import { readFileSync } from "node:fs";
import type { Answer } from "@cloud/transcoder";
import type { Registry } from "prom-client";
import type { OpenapiDocument } from "./openapi/document.ts";
import { unreachableServices } from "./readiness.ts";
import { renderReference } from "./reference/render-reference.ts";
import type { Upstreams } from "./services.ts";

/** What the gateway answers itself, to GET and HEAD, without a token. */
export type OwnPages = ReadonlyMap<string, () => Promise<Answer>>;

/** Makes the pages by path: probes, metrics, and the reference of the API. */
export function createOwnPages(upstreams: Upstreams, metrics: Registry): OwnPages {
  const openapi = readFileSync(new URL("../openapi.json", import.meta.url), "utf8");
  const reference = renderReference(JSON.parse(openapi) as OpenapiDocument);
  return new Map([
    ["/healthz", async () => page(200, "text/plain; charset=utf-8", "ok\n")],
    ["/readyz", async () => readiness(await unreachableServices(upstreams))],
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

function readiness(unreachable: readonly string[]): Answer {
  if (unreachable.length === 0) return page(200, "text/plain; charset=utf-8", "ready\n");
  return page(503, "text/plain; charset=utf-8", `not reachable: ${unreachable.join(", ")}\n`, { "Retry-After": "1" });
}

function page(status: number, type: string, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "Content-Type": type, "X-Content-Type-Options": "nosniff", ...headers }, body };
}
