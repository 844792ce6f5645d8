import type { OpenapiDocument } from "./document.ts";

/**
 * Writes a document as YAML 1.2, in blocks. A text that YAML could read as anything else is quoted as in JSON, of which
 * YAML is a superset.
 */
export function toYaml(document: OpenapiDocument): string {
  return `${blockOf(JSON.parse(JSON.stringify(document)) as unknown, "")}\n`;
}

/** Returns a value of a block, whose lines after the first begin with `indent`. */
function blockOf(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0)
    return value.map((item) => `- ${blockOf(item, `${indent}  `)}`).join(`\n${indent}`);
  if (typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0)
    return Object.entries(value)
      .map(([key, one]) => `${scalarOf(key)}:${isNested(one) ? `\n${indent}  ` : " "}${blockOf(one, `${indent}  `)}`)
      .join(`\n${indent}`);
  return scalarOf(value);
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function scalarOf(value: unknown): string {
  const isPlain = typeof value === "string" && PLAIN.test(value) && !RESERVED.test(value);
  return isPlain ? value : JSON.stringify(value);
}

/** Starts with a letter, `/` or `$`, and contains no `: `, ` #` or space at its end. */
const PLAIN = /^[A-Za-z/$](?:[\w./$()'-]|[ ](?=[\w(/$])|,(?= ))*$/;

/** What YAML 1.1 reads as a boolean, null or, as some parsers do, a number. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null|e\d+)$/i;
