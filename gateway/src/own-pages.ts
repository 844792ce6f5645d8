import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { healthPage } from "@cloud/program";
import type { HttpResponse } from "@cloud/transcoder";
import type { OpenapiDocument } from "@cloud/transcoder/openapi";
import { compressedPage, compressPage } from "./compressed-page.ts";
import { renderScalar, SCALAR_POLICY } from "./render-scalar.ts";
import { wayIn, withoutSlash } from "./way-in.ts";

/** Pages that the gateway serves itself, to GET and HEAD, without a token. */
export type OwnPages = ReadonlyMap<string, (request: IncomingMessage) => Promise<HttpResponse>>;

/**
 * Creates the pages by path: the reference of the API, and `/healthz`, a constant, for load balancers that ask the port
 * they send requests to. What operators read is on a port of its own. The reference is read and rendered when it is first
 * requested, which takes 11 MB.
 */
export function createOwnPages(): OwnPages {
  const read = (file: string) => () => readFileSync(new URL(`../${file}`, import.meta.url));
  const openapi = read("openapi.json");
  const title = () => (JSON.parse(openapi().toString()) as OpenapiDocument).info.title;
  const script = readdirSync(new URL("../scalar/", import.meta.url)).find((name) => name.endsWith(".js.gz")) ?? "";
  const scriptPath = `/api/docs/${script.replace(/\.gz$/, "")}`;
  return new Map([
    ["/healthz", async () => ({ status: 200, headers: headersOf(healthPage.contentType), body: healthPage.body })],
    ["/", wayIn],
    ["/api", wayIn],
    ["/api/", wayIn],
    ["/api/docs/", withoutSlash("/api/docs")],
    ["/api/openapi.json", compressPage(headersOf("application/json"), openapi)],
    ["/api/openapi.yaml", compressPage(headersOf("application/yaml"), read("openapi.yaml"))],
    ["/api/docs", compressPage(pageHeaders(), () => renderScalar(title(), scriptPath))],
    [scriptPath, compressedPage({ ...headersOf("text/javascript"), ...FOR_EVER }, read(`scalar/${script}`))],
  ]);
}

/** Its name changes with its contents. */
const FOR_EVER = { "Cache-Control": "public, max-age=31536000, immutable" };

function headersOf(type: string): Record<string, string> {
  return { "Content-Type": type, "X-Content-Type-Options": "nosniff" };
}

/** A link out of a page reveals not even where the reader comes from. */
function pageHeaders(): Record<string, string> {
  return {
    ...headersOf("text/html; charset=utf-8"),
    "Content-Security-Policy": SCALAR_POLICY,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
  };
}
