import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "./read-json.ts";
import type { FieldPath } from "./route.ts";

/**
 * Sets a field deep inside a JSON object with JSON names, appending if it is a list. Removes other members of a oneof
 * along the path, so that the last value placed wins.
 */
export function placeLeaf(into: JsonObject, fields: FieldPath, value: JsonValue): void {
  let at = into;
  for (const [index, field] of fields.entries()) {
    for (const rival of field.oneof?.fields ?? []) {
      if (rival !== field) delete at[rival.jsonName];
    }
    const present = at[field.jsonName];
    if (index === fields.length - 1) {
      // Not a copy with one more item: for 10,000 of them that takes quadratic time.
      if (field.fieldKind === "list" && Array.isArray(present)) present.push(value);
      else at[field.jsonName] = field.fieldKind === "list" ? [value] : value;
      return;
    }
    const next = present !== undefined && isObject(present) ? present : {};
    at[field.jsonName] = next;
    at = next;
  }
}
