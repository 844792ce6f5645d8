import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { findField, pathName } from "./find-field.ts";
import { parseJsonText } from "./parse-json.ts";
import { placeLeaf } from "./place-leaf.ts";
import { hasOwnJson, readEnum, readField, readOwnJson } from "./read-json.ts";
import { scalarFromText } from "./read-scalar.ts";
import { percentDecode } from "./request-target.ts";
import type { FieldPath } from "./route.ts";
import { invalidParameter, repeatedParameter, TranscodingError } from "./transcoding-error.ts";

/**
 * Binds the query string to fields of `message`, into `into`, a JSON object with JSON names. Parameters name a field by
 * JSON or proto name, nested ones as `a.b` or `a[b]`; a message may also be given as JSON. Unknown parameters, and
 * those that name a field of `bound` or a part of one, are ignored.
 */
export function bindQuery(message: DescMessage, query: string, bound: readonly FieldPath[], into: JsonObject): void {
  const given: Given = new Map();
  for (const [name, value] of splitQuery(query)) {
    const fields = resolve(message, name);
    if (fields === undefined || bound.some((path) => startsWith(fields, path))) continue;
    const where = pathName(fields);
    const leaf = fields.at(-1) as DescField;
    if (value === undefined) throw invalidParameter(where, "percent-encoded UTF-8");
    const repeated = leaf.fieldKind === "list";
    if (clashes(given, fields) && !repeated) throw repeatedParameter(where);
    placeLeaf(into, fields, readValue(leaf, value, where));
  }
}

/** The fields of the parameters so far: a tree, because comparing all pairs of 10,000 parameters took 20 s. */
type Given = Map<DescField, Given>;

/** Adds a field; returns whether it, one that it is a part of, or a part of it was given before. */
function clashes(given: Given, fields: FieldPath): boolean {
  let [at, clash] = [given, false];
  for (const [index, field] of fields.entries()) {
    const known = at.get(field);
    const isLast = index === fields.length - 1;
    // A field without parts in the tree was given itself.
    if (known !== undefined && (isLast || known.size === 0)) clash = true;
    const next: Given = known ?? new Map();
    at.set(field, next);
    at = next;
  }
  return clash;
}

type Parameter = readonly [name: string, value: string | undefined];

function splitQuery(query: string): Parameter[] {
  const parts = query.split("&").filter((part) => part !== "");
  return parts.map((part) => {
    const equals = part.indexOf("=");
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    if (name === undefined) throw invalidParameter("the query string", "percent-encoded UTF-8");
    return [name, equals < 0 ? "" : decode(part.slice(equals + 1))];
  });
}

function decode(text: string): string | undefined {
  return percentDecode(text.replaceAll("+", " "));
}

function resolve(message: DescMessage, name: string): FieldPath | undefined {
  const fields: DescField[] = [];
  let within: DescMessage | undefined = message;
  const parts = name.replace(/\[([^[\]]*)\]/g, ".$1").split(".");
  // some clients write a repeated parameter as `visibility[]=a`
  const marked = parts.length > 1 && parts.at(-1) === "";
  for (const part of marked ? parts.slice(0, -1) : parts) {
    const field: DescField | undefined = within && findField(within, part);
    if (field === undefined) return undefined;
    fields.push(field);
    within = field.fieldKind === "message" && !hasOwnJson(field.message) ? field.message : undefined;
  }
  return marked && fields.at(-1)?.fieldKind !== "list" ? undefined : fields;
}

function startsWith(fields: FieldPath, path: FieldPath): boolean {
  return path.length <= fields.length && path.every((field, index) => fields[index] === field);
}

/** Reads text of a path or a query into the JSON value that the field takes; for a list, one item. */
export function readValue(field: DescField, text: string, where: string): JsonValue {
  if (field.fieldKind === "map") return readField(field, jsonFrom(text, where), where);
  if (field.enum) return readEnum(field.enum, /^-?\d{1,10}$/.test(text) ? Number(text) : text, where);
  if (field.message) return messageFrom(field.message, field, text, where);
  if (field.scalar === undefined) throw invalidParameter(where, "left out");
  return scalarFromText(field.scalar, text, where);
}

function messageFrom(message: DescMessage, field: DescField, text: string, where: string): JsonValue {
  const json = message.typeName;
  if (STRING_JSON.has(json)) return readOwnJson(message, text, where);
  const wrapped = hasOwnJson(message) && message.fields.length === 1 ? message.fields[0] : undefined;
  if (wrapped?.fieldKind === "scalar") return scalarFromText(wrapped.scalar, text, where);
  const value = jsonFrom(text, where);
  return field.fieldKind === "list"
    ? ((readField(field, [value], where) as JsonValue[])[0] ?? null)
    : readField(field, value, where);
}

function jsonFrom(text: string, where: string): JsonValue {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (!(error instanceof TranscodingError)) throw error;
    if (error.kind === "repeated-parameter") throw repeatedParameter(`${where}.${error.detail.parameter}`);
    throw invalidParameter(where, "a JSON object");
  }
}

const STRING_JSON: ReadonlySet<string> = new Set([
  "google.protobuf.Duration",
  "google.protobuf.FieldMask",
  "google.protobuf.Timestamp",
]);
