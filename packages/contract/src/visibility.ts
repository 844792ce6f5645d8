import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "./fail.ts";

export const VISIBILITIES = ["private", "public", "published"] as const;

/** The audience of a design or view. */
export type Visibility = (typeof VISIBILITIES)[number];

const isVisibility = (value: string): value is Visibility => (VISIBILITIES as readonly string[]).includes(value);

/** Parses a visibility; empty means the fallback. @throws INVALID_PARAMETER. */
export function parseVisibility(value: string, fallback: Visibility): Visibility {
  if (value === "") {
    return fallback;
  }
  if (!isVisibility(value)) {
    throw invalid();
  }
  return value;
}

/**
 * Parses a list's visibility filter, repeated or comma-separated; an empty filter means all. @throws INVALID_PARAMETER.
 */
export function parseVisibilityFilter(values: readonly string[]): readonly Visibility[] {
  const parts = values.flatMap((value) => value.split(",")).map((part) => part.trim());
  if (!parts.every(isVisibility)) {
    throw invalid();
  }
  return [...new Set(parts)];
}

const invalid = () =>
  fail(Reason.INVALID_PARAMETER, { parameter: "visibility", accepts: "private, public or published" });
