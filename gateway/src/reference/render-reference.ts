import type { OpenapiDocument, Operation } from "../openapi/document.ts";
import { escapeHtml, renderText } from "./html.ts";
import { renderOperation } from "./render-operation.ts";
import { renderSchema } from "./render-schema.ts";
import { STYLE } from "./style.ts";

/** Renders the reference of the API as one self-contained HTML page. */
export function renderReference(document: OpenapiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const body = own.map(({ path, method, operation }) => renderOperation(path, method, operation, document)).join("");
    return `<section id="${name}"><h2>${name}</h2><p>${renderText(description)}</p>${body}</section>`;
  });
  const records = Object.entries(document.components.schemas)
    .filter(([name]) => !name.endsWith("Response"))
    .map(
      ([name, schema]) => `<article id="record-${name}"><h3>${name}</h3>${renderSchema(schema, document)}</article>`,
    );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(document.info.title)}</title><style>${STYLE}</style></head>
<body><nav><a class="home" href="#top">${escapeHtml(document.info.title)}</a>${renderMenu(document, operations)}</nav>
<main id="top"><header><h1>${escapeHtml(document.info.title)}</h1><p>${renderText(document.info.description)}</p>
<p><a href="openapi.json">OpenAPI document</a></p></header>
${sections.join("\n")}
<section id="records"><h2>Records</h2>${records.join("\n")}</section></main></body></html>
`;
}

interface Listed {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function renderMenu(document: OpenapiDocument, operations: readonly Listed[]): string {
  const groups = document.tags.map(({ name }) => {
    const links = operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(
        ({ method, operation }) =>
          `<li><a href="#${operation.operationId}"><b class="${method}">${method}</b> ${spaced(operation.operationId)}</a></li>`,
      );
    return `<details open><summary>${name}</summary><ul>${links.join("")}</ul></details>`;
  });
  return `${groups.join("")}<a href="#records">Records</a>`;
}

// CreateWorkspace -> Create workspace
function spaced(name: string): string {
  const words = name.replace(/\d+$/, "").replace(/(?<=[a-z])(?=[A-Z])/g, " ");
  return words.charAt(0) + words.slice(1).toLowerCase();
}
