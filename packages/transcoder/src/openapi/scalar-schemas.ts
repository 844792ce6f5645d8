import { ScalarType } from "@bufbuild/protobuf";
import type { Schema } from "./document.ts";

/** Where a value is: in the JSON of a request, in that of a reply, or in the text of a path or a query. */
export type Way = "input" | "output" | "text";

/**
 * Returns the schema of a scalar. ProtoJSON writes integers of 64 bits as strings and reads both forms; a `double` may
 * also be one of three strings.
 */
export function scalarSchema(way: Way, type: ScalarType): Schema {
  switch (type) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.DOUBLE:
      return real(way, "double");
    case ScalarType.FLOAT:
      return real(way, "float");
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: "integer", format: "uint32", minimum: 0 };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return large(way, { format: "uint64", minimum: 0, pattern: "^[0-9]+$" });
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return large(way, { format: "int64", pattern: "^-?[0-9]+$" });
    default:
      return { type: "integer", format: "int32" };
  }
}

function real(way: Way, format: string): Schema {
  const number: Schema = { type: "number", format };
  return way === "output" ? { anyOf: [number, { enum: ["NaN", "Infinity", "-Infinity"] }] } : number;
}

/** A parameter is text anyway, so that it is described by what the text means. */
function large(way: Way, { minimum, pattern, ...schema }: Schema & { readonly pattern: string }): Schema {
  const least = minimum === undefined ? {} : { minimum };
  switch (way) {
    case "text":
      return { type: "integer", ...schema, ...least };
    case "input":
      return { type: ["integer", "string"], ...schema, ...least, pattern };
    case "output":
      return { type: "string", ...schema, pattern };
  }
}
