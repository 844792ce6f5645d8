import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "./read-json.ts";
import type { FieldPath } from "./route.ts";

/**
 * Sets a field deep inside a JSON object with JSON names, appending where it is a list. Other members of a oneof on
 * the way are removed, so that what is placed last stands.
 */
export function placeLeaf(into: JsonObject, fields: FieldPath, value: JsonValue): void {
  let at = into;
  for (const [index, field] of fields.entries()) {
    for (const rival of field.oneof?.fields ?? []) {
      if (rival !== field) delete at[rival.jsonName];
    }
    const present = at[field.jsonName];
    if (index === fields.length - 1) {
      at[field.jsonName] = field.fieldKind === "list" ? [...(Array.isArray(present) ? present : []), value] : value;
      return;
    }
    const next = present !== undefined && isObject(present) ? present : {};
    at[field.jsonName] = next;
    at = next;
  }
}
