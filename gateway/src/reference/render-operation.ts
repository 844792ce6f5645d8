import type { OpenapiDocument, Operation, Response } from "../openapi/document.ts";
import { escapeHtml, renderTable, renderText } from "./html.ts";
import { exampleOf, renderSchema, renderType } from "./render-schema.ts";

/** Renders one operation: its purpose, parameters, response and errors. */
export function renderOperation(path: string, method: string, operation: Operation, document: OpenapiDocument): string {
  const responses = Object.entries(operation.responses);
  const [success, ...failures] = responses;
  const permission = operation["x-permission"];
  return `<article id="${operation.operationId}">
<h3><b class="${method}">${method}</b> <code>${renderPath(path)}</code></h3>
<p>${renderText(operation.description)}</p>
${permission === undefined ? "" : `<p class="permission">Permission key: <b>${escapeHtml(permission)}</b></p>`}
${renderParameters(operation)}
${renderBody(operation, document)}
${success ? renderSuccess(...success, document) : ""}
<details><summary>Errors</summary>${renderFailures(failures)}</details>
</article>`;
}

function renderPath(path: string): string {
  return escapeHtml(path).replace(/\{\w+\}/g, "<var>$&</var>");
}

function renderParameters({ parameters }: Operation): string {
  const rows = parameters
    .filter((parameter) => parameter.in !== "header")
    .map(({ name, in: place, required, description, schema, content }) => [
      `<code>${escapeHtml(name)}</code>${required ? "" : ' <i class="optional">optional</i>'}`,
      `${place}, ${renderType(schema ?? content?.["application/json"].schema ?? {})}`,
      renderText(description),
    ]);
  return rows.length === 0 ? "" : `<h4>Parameters</h4>${renderTable(["Name", "In", ""], rows)}`;
}

function renderBody({ requestBody }: Operation, document: OpenapiDocument): string {
  if (requestBody === undefined) return "";
  return `<h4>Body</h4>${renderSchema(requestBody.content["application/json"].schema, document)}`;
}

function renderSuccess(status: string, { content }: Response, document: OpenapiDocument): string {
  if (content === undefined) return `<h4>Response: ${status}</h4><p>No body.</p>`;
  const { schema } = content["application/json"];
  const example = JSON.stringify(exampleOf(schema, document), null, 2);
  return `<h4>Response: ${status}</h4><pre>${escapeHtml(example)}</pre>`;
}

function renderFailures(failures: readonly [string, Response][]): string {
  const rows = failures.map(([status, { description }]) => [status, renderText(description)]);
  return renderTable(["Status", "Code and text"], rows);
}
