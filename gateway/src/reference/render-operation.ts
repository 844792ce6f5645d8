import type { OpenapiDocument } from "@cloud/transcoder/openapi";
import type { ListedOperation, ListedResponse } from "../openapi/listed-operations.ts";
import { escapeHtml, renderTable, renderText } from "./html.ts";
import { exampleOf, renderLimits, renderSchema, renderType } from "./render-schema.ts";

/** Renders one operation: its purpose, parameters, response and errors. */
export function renderOperation(listed: ListedOperation, document: OpenapiDocument): string {
  const { path, method, operation } = listed;
  const [success, ...failures] = Object.entries(listed.responses);
  const permission = operation["x-permission"];
  return `<article id="${operation.operationId}">
<h3><b class="${method}">${method}</b> <code>${renderPath(path)}</code></h3>
<p>${operation.deprecated ? "<b>Deprecated.</b> " : ""}${renderText(operation.description ?? "")}</p>
${typeof permission === "string" ? `<p class="permission">Permission key: <b>${escapeHtml(permission)}</b></p>` : ""}
${renderParameters(listed)}
${renderBody(listed, document)}
${success ? renderSuccess(...success, document) : ""}
<details><summary>Errors</summary>${renderFailures(failures)}</details>
</article>`;
}

function renderPath(path: string): string {
  return escapeHtml(path).replace(/\{\w+\}/g, "<var>$&</var>");
}

function renderParameters({ parameters }: ListedOperation): string {
  const rows = parameters.map(({ name, in: place, required, description = "", schema, content }) => [
    `<code>${escapeHtml(name)}</code>${required ? "" : ' <i class="optional">optional</i>'}`,
    `${place}, ${renderType(schema ?? content?.["application/json"]?.schema ?? {})}`,
    renderLimits(schema ?? {}) + renderText(description),
  ]);
  return rows.length === 0 ? "" : `<h4>Parameters</h4>${renderTable(["Name", "In", "Meaning"], rows)}`;
}

function renderBody({ operation: { requestBody } }: ListedOperation, document: OpenapiDocument): string {
  const schema = requestBody?.content["application/json"]?.schema;
  return schema === undefined ? "" : `<h4>Body</h4>${renderSchema(schema, document)}`;
}

function renderSuccess(status: string, { content }: ListedResponse, document: OpenapiDocument): string {
  const schema = content?.["application/json"]?.schema;
  if (schema === undefined) return `<h4>Response: ${status}</h4><p>No body.</p>`;
  const example = JSON.stringify(exampleOf(schema, document), null, 2);
  return `<h4>Response: ${status}</h4><pre tabindex="0">${escapeHtml(example)}</pre>`;
}

function renderFailures(failures: readonly [string, ListedResponse][]): string {
  const rows = failures.map(([status, { description }]) => [status, renderText(description)]);
  return renderTable(["Status", "Code and text"], rows);
}
