import { create, type DescField, type DescMessage, type JsonValue, type Message } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { isObject } from "../json-in/json-literals.ts";
import { hasOwnJson } from "../json-in/read-own-json.ts";
import type { Route } from "../rules/route.ts";
import type { FieldPath } from "./place.ts";
import { findFieldExactly, isSamePath } from "./place.ts";

/**
 * Returns the field that AIP-134 names `update_mask`, in whatever name: the only FieldMask of the request to a PATCH
 * whose body is a message. Undefined for other rules, such as PUT, which replaces.
 */
export function findMaskField(httpMethod: string, input: DescMessage, body: Route["body"]): DescField | undefined {
  const hasMessage = typeof body === "object" && body.fieldKind === "message" && !hasOwnJson(body.message);
  if (httpMethod !== "PATCH" || !hasMessage) return undefined;
  const masks = input.fields.filter(({ message }) => message?.typeName === FieldMaskSchema.typeName);
  const [mask] = masks;
  return masks.length === 1 && mask?.fieldKind === "message" && mask.oneof === undefined ? mask : undefined;
}

/**
 * Sets the mask of an update to the fields that the body names, if the request has none: an explicit one is final.
 * `null` is in the mask, because it clears the field; a list or a map is replaced as a whole. What the path binds
 * cannot change, and is left out.
 */
export function addUpdateMask(
  { body, updateMask, variables }: Route,
  json: JsonValue | undefined,
  message: Message,
): void {
  if (updateMask === undefined || typeof body !== "object" || body.message === undefined) return;
  if (json === undefined || !isObject(json) || Reflect.get(message, updateMask.localName) !== undefined) return;
  const paths: string[] = [];
  addPaths(paths, body.message, json, [body], variables);
  if (paths.length > 0) Reflect.set(message, updateMask.localName, create(FieldMaskSchema, { paths }));
}

function addPaths(
  paths: string[],
  message: DescMessage,
  json: { readonly [name: string]: JsonValue },
  above: FieldPath,
  bound: readonly FieldPath[],
): void {
  for (const [name, value] of Object.entries(json)) {
    const field = findFieldExactly(message, name);
    if (field === undefined) continue;
    const fields = [...above, field];
    if (bound.some((path) => isSamePath(path, fields))) continue;
    const within = field.fieldKind === "message" && !hasOwnJson(field.message) ? field.message : undefined;
    if (within !== undefined && isObject(value) && Object.keys(value).length > 0)
      addPaths(paths, within, value, fields, bound);
    else paths.push(textOf(fields));
  }
}

/** Writes a path of a mask: in proto names, from the body's message on. */
function textOf(fields: FieldPath): string {
  return fields
    .slice(1)
    .map(({ name }) => name)
    .join(".");
}
