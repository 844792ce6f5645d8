import type { OpenapiDocument, Schema } from "@cloud/transcoder/openapi";
import { resolveSchema } from "../openapi/listed-operations.ts";
import { escapeHtml, renderTable, renderText } from "./html.ts";

/** Renders the properties of an object as a table. */
export function renderSchema(schema: Schema, document: OpenapiDocument): string {
  const { properties = {}, required = [], description = "" } = resolveSchema(document, schema);
  const rows = Object.entries(properties).map(([name, property]) => [
    `<code>${escapeHtml(name)}</code>${required.includes(name) ? "" : ' <i class="optional">optional</i>'}`,
    renderType(property),
    renderLimits(property) + renderText(property.description ?? ""),
  ]);
  return `${description === "" ? "" : `<p>${renderText(description)}</p>`}${renderTable(["Field", "Type", "Meaning"], rows)}`;
}

/** Renders a type's name; a record is a link. */
export function renderType(schema: Schema): string {
  const name = recordName(schema);
  if (name !== undefined) return `<a href="#record-${name}">${name}</a>`;
  if (schema.items) return `list of ${renderType(schema.items)}`;
  if (schema.enum) return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(", ");
  const types = [schema.type ?? "any"]
    .flat()
    .map((type) => (type === "string" && schema.format ? schema.format : type));
  return escapeHtml(types.join(" or "));
}

/** Renders the limits of a value and what an absent one means, as one sentence; "" if there are none. */
export function renderLimits({ maxLength, minimum, maximum, default: fallback, items }: Schema): string {
  const limits = [
    maxLength === undefined ? "" : `At most ${maxLength} characters`,
    minimum === undefined ? "" : `From ${minimum}${maximum === undefined ? "" : ` to ${maximum}`}`,
    fallback === undefined ? "" : `Default: <code>${escapeHtml(String(fallback))}</code>`,
  ].filter((one) => one !== "");
  const own = limits.length === 0 ? "" : `${limits.join(". ")}. `;
  return items ? renderLimits(items) + own : own;
}

/** Returns an example value of a schema. */
export function exampleOf(schema: Schema, document: OpenapiDocument, name = ""): unknown {
  const { type, format, items, properties, examples, enum: values } = resolveSchema(document, schema);
  const given = examples?.[0] ?? values?.[0];
  if (given !== undefined) return given;
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, exampleOf(one, document, key)]));
  if (items) return [exampleOf(items, document, name)];
  if (format === "date-time") return name === "deletedAt" || name === "revokedAt" ? null : "2026-01-02T03:04:05.000Z";
  if (type === "integer") return name === "pageSize" ? 25 : name === "page" ? 0 : 1;
  if (type === "boolean") return name !== "platformProvisioned";
  if (type === "object") return {};
  return /id$|^owner$|^actedUpon$/i.test(name)
    ? "019b76da-a800-7000-8000-000000000001"
    : name === "code"
      ? "WORKSPACE_NOT_FOUND"
      : "";
}

function recordName({ $ref }: Schema): string | undefined {
  return $ref?.split("/").at(-1);
}
