import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../json-in/read-json.ts";
import type { FieldPath } from "../rules/route.ts";

/**
 * Sets a singular field deep inside a JSON object with JSON names, whatever was there. Removes other members of a oneof
 * along the path.
 */
export function placeLeaf(into: JsonObject, fields: FieldPath, value: JsonValue): void {
  let at = into;
  for (const [index, field] of fields.entries()) {
    for (const rival of field.oneof?.fields ?? []) {
      if (rival !== field) delete at[rival.jsonName];
    }
    if (index === fields.length - 1) {
      at[field.jsonName] = value;
      return;
    }
    const present = at[field.jsonName];
    const next = present !== undefined && isObject(present) ? present : {};
    at[field.jsonName] = next;
    at = next;
  }
}
