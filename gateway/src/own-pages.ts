import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { healthPage } from "@cloud/runtime";
import type { HttpResponse } from "@cloud/transcoder";
import type { OpenapiDocument } from "@cloud/transcoder/openapi";
import { compressedPage, compressPage } from "./compressed-page.ts";

/** Pages that the gateway serves itself, to GET and HEAD, without a token. */
type OwnPages = ReadonlyMap<string, (request: IncomingMessage) => Promise<HttpResponse>>;

/**
 * Creates the pages by path: the reference of the API, and `/healthz`, a constant, for load balancers that ask the port
 * they send requests to. The pages for operators are on a port of their own. The reference is read and rendered when it
 * is first requested, which takes 11 MB.
 */
export function createOwnPages(): OwnPages {
  const read = (file: string) => () => readFileSync(new URL(`../${file}`, import.meta.url));
  const openapi = read("openapi.json");
  const title = () => (JSON.parse(openapi().toString()) as OpenapiDocument).info.title;
  const script = readdirSync(new URL("../scalar/", import.meta.url)).find((name) => name.endsWith(".js.gz")) ?? "";
  const scriptPath = `/api/docs/${script.replace(/\.gz$/, "")}`;
  return new Map([
    ["/healthz", async () => ({ status: 200, headers: headersOf(healthPage.contentType), body: healthPage.body })],
    ["/", wayIn], // protects: public-pages
    ["/api", wayIn],
    ["/api/", wayIn],
    ["/api/docs/", wayIn],
    ["/api/openapi.json", compressPage(headersOf("application/json"), openapi)],
    ["/api/openapi.yaml", compressPage(headersOf("application/yaml"), read("openapi.yaml"))],
    ["/api/docs", compressPage(pageHeaders(), () => renderScalar(title(), scriptPath))],
    [scriptPath, compressedPage({ ...headersOf("text/javascript"), ...IMMUTABLE }, read(`scalar/${script}`))],
  ]);
}

/** The caching of the script, whose name changes with its contents. */
const IMMUTABLE = { "Cache-Control": "public, max-age=31536000, immutable" };

function headersOf(type: string): Record<string, string> {
  return { "Content-Type": type, "X-Content-Type-Options": "nosniff" };
}

/**
 * Responds to a request without a path: redirects a browser to the reference, and returns to a program the addresses of
 * the reference and of the OpenAPI document.
 */
async function wayIn({ headers }: IncomingMessage): Promise<HttpResponse> {
  // Every browser names HTML when it opens an address; programs accept anything or name JSON.
  if (/\btext\/html\b/i.test(headers.accept ?? "")) return redirectTo(DOCS);
  const body = JSON.stringify({ name: NAME, documentation: DOCS, openapi: OPENAPI });
  return { status: 200, headers: { ...PLAIN, "Content-Type": "application/json", Vary: "Accept" }, body };
}

const DOCS = "/api/docs";
const OPENAPI = "/api/openapi.json";
const NAME = "Cloud management API";

const PLAIN = { "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache" };

function redirectTo(path: string): HttpResponse {
  const body = `<!doctype html><title>${NAME}</title><a href="${path}">${path}</a>\n`;
  const type = "text/html; charset=utf-8";
  return { status: 302, headers: { ...PLAIN, "Content-Type": type, Location: path, Vary: "Accept" }, body };
}

/** Returns the headers of the reference. Links out of it do not reveal where the reader comes from. */
function pageHeaders(): Record<string, string> {
  return {
    ...headersOf("text/html; charset=utf-8"),
    "Content-Security-Policy": SCALAR_POLICY,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
  };
}

/**
 * Renders the page that shows the reference with Scalar: a menu, a search, and requests with the reader's own token.
 * The script reads its configuration from the element before it, so that no inline script is needed.
 */
function renderScalar(title: string, scriptPath: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><link rel="icon" href="data:,"></head>
<body><noscript><p>This page needs JavaScript. <a href="/api/openapi.yaml">The document that it shows</a> can be read without.</p>
</noscript>
<script id="api-reference" type="application/json" data-url="/api/openapi.json"
 data-configuration="${escapeHtml(JSON.stringify(CONFIGURATION))}"></script>
<script src="${scriptPath}"></script></body></html>
`;
}

/** Escapes text for HTML. */
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The configuration of Scalar, without all features that would reach another host or keep a token. */
const CONFIGURATION = {
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  persistAuth: false,
  showDeveloperTools: "never",
  orderSchemaPropertiesBy: "preserve",
  // Scalar focuses the section that a link targets, so hide its outline.
  customCss: "section:focus, [tabindex='-1']:focus { outline: none }",
  authentication: { preferredSecurityScheme: "token" },
};

/**
 * The policy of the reference: scripts and requests of this origin only. Scalar sets styles by script, and tries `eval`
 * once, to find out whether a validator may compile its schemas. It is refused, and interprets them instead.
 */
const SCALAR_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
