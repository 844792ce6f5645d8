import type { IncomingMessage } from "node:http";
import type { HttpResponse } from "@cloud/transcoder";

const DOCS = "/api/docs";
const OPENAPI = "/api/openapi.json";
const NAME = "Cloud management API";

/**
 * Leads on who opens the gateway without a path: a browser to the reference, a program to the addresses of the reference
 * and of the OpenAPI document.
 */
export async function wayIn({ headers }: IncomingMessage): Promise<HttpResponse> {
  // Every browser names HTML when it opens an address; programs accept anything or name JSON.
  if (/\btext\/html\b/i.test(headers.accept ?? "")) return redirectTo(DOCS, 302, { Vary: "Accept" });
  const body = JSON.stringify({ name: NAME, documentation: DOCS, openapi: OPENAPI });
  return { status: 200, headers: { ...PLAIN, "Content-Type": "application/json", Vary: "Accept" }, body };
}

/** Leads from an address with a slash at its end to the page without it. */
export const withoutSlash = (path: string) => async (): Promise<HttpResponse> => redirectTo(path, 308);

const PLAIN = { "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache" };

function redirectTo(path: string, status: number, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  const body = `<!doctype html><title>${NAME}</title><a href="${path}">${path}</a>\n`;
  const type = "text/html; charset=utf-8";
  return { status, headers: { ...PLAIN, "Content-Type": type, Location: path, ...headers }, body };
}
