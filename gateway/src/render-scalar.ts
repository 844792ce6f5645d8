/**
 * Renders the page that shows the reference with Scalar: a menu, a search, and requests with the reader's own token. The
 * script reads its configuration from the element before it, so that no inline script is needed.
 */
export function renderScalar(title: string, scriptPath: string): string {
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

/** Without all that would reach another host or keep a token. */
const CONFIGURATION = {
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  persistAuth: false,
  showDeveloperTools: "never",
  orderSchemaPropertiesBy: "preserve",
  // A section that a link leads to has the focus; its outline would run along both edges of the window.
  customCss: "section:focus, [tabindex='-1']:focus { outline: none }",
  authentication: { preferredSecurityScheme: "token" },
};

/**
 * Scripts and requests of this origin only. Scalar sets styles by script, and tries `eval` once, to find out whether a
 * validator may compile its schemas: it is refused, and interprets them instead.
 */
export const SCALAR_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
