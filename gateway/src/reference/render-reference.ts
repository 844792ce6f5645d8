import type { OpenapiDocument } from "@cloud/transcoder/openapi";
import { type ListedOperation, listOperations } from "../openapi/listed-operations.ts";
import { escapeHtml, renderText } from "./html.ts";
import { renderOperation } from "./render-operation.ts";
import { renderSchema } from "./render-schema.ts";
import { STYLE } from "./style.ts";

/** Renders the reference of the API as one self-contained HTML page. */
export function renderReference(document: OpenapiDocument): string {
  const operations = listOperations(document);
  const sections = document.tags.map(({ name, description = "" }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const body = own.map((one) => renderOperation(one, document)).join("");
    return `<section id="${name}"><h2>${name}</h2><p>${renderText(description)}</p>${body}</section>`;
  });
  const records = Object.entries(document.components.schemas)
    .filter(([name]) => !/(Request|Response)$/.test(name))
    .map(
      ([name, schema]) => `<article id="record-${name}"><h3>${name}</h3>${renderSchema(schema, document)}</article>`,
    );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(document.info.title)}</title><style>${STYLE}</style></head>
<body><nav><a class="home" href="#top">${escapeHtml(document.info.title)}</a>${renderMenu(document, operations)}</nav>
<main id="top"><header><h1>${escapeHtml(document.info.title)}</h1><p>${renderText(document.info.description ?? "")}</p>
<p><a href="/api/docs">With search and requests</a>, <a href="/api/openapi.json">OpenAPI document</a></p></header>
${sections.join("\n")}
<section id="records"><h2>Records</h2>${records.join("\n")}</section></main></body></html>
`;
}

function renderMenu(document: OpenapiDocument, operations: readonly ListedOperation[]): string {
  const groups = document.tags.map(({ name }) => {
    const links = operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(
        ({ method, operation }) =>
          `<li><a href="#${operation.operationId}"><b class="${method}">${method}</b> ${escapeHtml(operation.summary)}</a></li>`,
      );
    return `<details open><summary>${name}</summary><ul>${links.join("")}</ul></details>`;
  });
  return `${groups.join("")}<a href="#records">Records</a>`;
}
