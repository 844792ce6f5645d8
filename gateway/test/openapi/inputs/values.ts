import { randomUUID } from "node:crypto";
import type { JsonValue } from "@bufbuild/protobuf";
import type { Schema } from "@cloud/transcoder/openapi";

/** Values of a schema at its limits, and values just beyond them. */
export interface Values {
  readonly accepted: readonly JsonValue[];
  readonly refused: readonly JsonValue[];
}

/** Returns the values of a schema. `ids` exist, since any other id is refused because its record is absent. */
export function valuesOf(schema: Schema, ids: readonly string[]): Values {
  const { type, items, enum: values, default: fallback, examples = [] } = schema;
  const documented = [...(fallback === undefined ? [] : [fallback]), ...(schema.format === "uuid" ? [] : examples)];
  const own = items
    ? ofList(schema, valuesOf(items, ids))
    : values
      ? ofEnum(values)
      : ofType(String(type), schema, ids);
  return { accepted: [...new Set([...own.accepted, ...documented])], refused: own.refused };
}

/** A character that takes two units of UTF-16: limits count characters. */
const WIDE = "\u{1f388}";

/**
 * The characters of a text without a limit: in a query, escaped, most of the 16 KiB that the head of a request may
 * have.
 */
const UNLIMITED = 1_000;

function ofType(type: string, schema: Schema, ids: readonly string[]): Values {
  switch (type) {
    case "string":
      return ofText(schema, ids);
    case "integer,string":
    case "integer":
      return ofInteger(schema);
    case "boolean":
      return { accepted: [true, false], refused: ["yes"] };
    case "object":
      return { accepted: [{}, { a: { b: [1, null, "x"] } }], refused: ["x", 5, []] };
    default:
      throw new Error(`no values of the type ${type}`);
  }
}

function ofText({ format, maxLength, minLength = 0 }: Schema, ids: readonly string[]): Values {
  const wide = (length: number) => WIDE.repeat(length);
  const empty = minLength > 0 ? [] : [""];
  switch (format) {
    case "uuid":
      return { accepted: ids, refused: [] };
    case "email":
      return { accepted: [emailOf(36), emailOf(maxLength)], refused: ["x", "x@y", emailOf((maxLength ?? 0) + 1)] };
    case "uri":
      return {
        accepted: ["", webAddressOf(maxLength)],
        refused: ["x", "javascript:1", webAddressOf((maxLength ?? 0) + 1)],
      };
    default:
      return {
        accepted: ["x", ...empty, wide(maxLength ?? UNLIMITED)],
        refused: maxLength === undefined ? [] : [wide(maxLength + 1)],
      };
  }
}

function emailOf(length = 36): string {
  const host = "@example.com";
  return (
    randomUUID()
      .padEnd(length - host.length, "x")
      .slice(0, length - host.length) + host
  );
}

function webAddressOf(length = 40): string {
  return "https://example.com/".padEnd(length, "x");
}

function ofInteger({ minimum, maximum }: Schema): Values {
  return {
    accepted: [1, ...[minimum, maximum].filter((limit) => limit !== undefined)],
    refused: [
      "x",
      1.5,
      ...(minimum === undefined ? [] : [minimum - 1]),
      ...(maximum === undefined ? [] : [maximum + 1]),
    ],
  };
}

function ofEnum(values: readonly JsonValue[]): Values {
  return { accepted: values, refused: [`${String(values[0])}x`] };
}

function ofList({ minItems = 0 }: Schema, items: Values): Values {
  return {
    accepted: [...items.accepted.map((item) => [item]), [...items.accepted]],
    refused: [...items.refused.map((item) => [item]), ...(minItems > 0 ? [[]] : [])],
  };
}
