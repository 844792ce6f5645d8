import { changed, isObject, type Json } from "../json.ts";
import type { Check, Violation } from "./schema.ts";

/** A value of each type. No typed field accepts all of them. */
const PROBES: readonly Json[] = [true, -1.5, "\u0000", [], {}];

/**
 * Finds the fields that a schema does not describe, such as misspelled ones, which the schemas of Kubernetes accept and
 * a cluster drops: a field in which a value of any type is accepted is not in the schema.
 */
export function unknownFields(check: Check, value: Json): Violation[] {
  return fieldsOf(value, []).flatMap((keys) => {
    const path = `/${keys.map(escaped).join("/")}`;
    const isRefused = (probe: Json) => check(changed(value, keys, probe)).some((found) => found.path.startsWith(path));
    return PROBES.some(isRefused) ? [] : [{ path, reason: "is not a field" }];
  });
}

/** Escapes a name as in a JSON Pointer, which schemas report. */
const escaped = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** Returns the path of each field, but not of items. */
function fieldsOf(value: Json, above: readonly string[]): string[][] {
  if (Array.isArray(value)) {
    return (value as readonly Json[]).flatMap((item, index) => fieldsOf(item, [...above, String(index)]));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const keys = [...above, key];
    return [keys, ...fieldsOf(child, keys)];
  });
}
