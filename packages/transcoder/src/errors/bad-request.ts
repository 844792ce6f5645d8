import type { JsonObject } from "@bufbuild/protobuf";
import type { TranscodingError, Violation } from "./transcoding-error.ts";

/**
 * Returns the JSON of a google.rpc.BadRequest with all violations of a request, for the `details` of a google.rpc.Status;
 * undefined for an error that is of no field.
 */
export function badRequest({ detail }: TranscodingError): JsonObject | undefined {
  const { violations = [] } = detail;
  if (violations.length === 0) return undefined;
  const fieldViolations = violations.map((violation) => ({
    field: violation.field,
    description: violation.description + placeIn(violation),
  }));
  return { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations };
}

function placeIn({ line, column }: Violation): string {
  return line === undefined ? "" : ` (line ${line}, column ${column})`;
}
