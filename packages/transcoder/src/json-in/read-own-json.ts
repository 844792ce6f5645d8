import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { Place } from "../binding/place.ts";
import type { Reading } from "../binding/reading.ts";
import { invalidParameter } from "../errors/transcoding-error.ts";
import { hasHeldNumbers } from "./json-literals.ts";
import { DEEPEST_STRUCT, MAX_NESTING } from "./parse-json.ts";
import { isDuration, isTimestamp, scalarFromJson } from "./read-scalar.ts";

/** Returns whether a message has its own JSON form (google.protobuf.Timestamp and similar types). */
export function hasOwnJson(message: DescMessage): boolean {
  return message.typeName === ANY || FORMS.has(message.typeName) || isWrapperDesc(message);
}

export const FIELD_MASK = "google.protobuf.FieldMask";
export const ANY = "google.protobuf.Any";

/** Checks the JSON of a type with its own form, other than `Any`. */
export function readOwnJson(reading: Reading, type: DescMessage, json: JsonValue, place: Place): JsonValue {
  if (type.typeName === FIELD_MASK && reading.options.fieldMasks === "any" && typeof json === "string")
    return checkForm(reading, type, camelCase(json), place);
  const [wrapped] = isWrapperDesc(type) ? type.fields : [];
  if (wrapped?.fieldKind === "scalar") return scalarFromJson(wrapped.scalar, json, place);
  return checkForm(reading, type, json, place);
}

function checkForm(reading: Reading, type: DescMessage, json: JsonValue, place: Place): JsonValue {
  const form = FORMS.get(type.typeName);
  const isTaken = form?.takes(json) === true && !(form.isJson && isDeeperThan(structDepth(reading), json));
  if (!isTaken) throw invalidParameter(place, acceptsOf(reading, type));
  if (!isWellFormed(json)) throw invalidParameter(place, "of valid Unicode");
  const isExact = reading.options.structIntegers === "exact";
  if (!hasHeldNumbers(json, place.holder, place.sent, isExact))
    throw invalidParameter(
      place,
      isExact ? "of whole numbers that a double can hold" : "of numbers that a double can hold",
    );
  return json;
}

/** Returns what a type with its own form accepts, as the continuation of "must be". */
export function acceptsOf(reading: Reading, { typeName }: DescMessage): string {
  const form = FORMS.get(typeName);
  if (form?.isJson === true) return `${form.accepts} nested at most ${structDepth(reading)} deep`;
  return form?.accepts ?? "a JSON object with a known @type";
}

function structDepth({ options: { structDepth, jsonDepth } }: Reading): number {
  return structDepth ?? Math.min(jsonDepth ?? MAX_NESTING, DEEPEST_STRUCT);
}

function isDeeperThan(levels: number, json: JsonValue): boolean {
  if (typeof json !== "object" || json === null) return false;
  if (levels === 0) return true;
  const values = Array.isArray(json) ? json : Object.values(json);
  return values.some((value) => isDeeperThan(levels - 1, value));
}

/** Whether all texts can be written as UTF-8: half of a surrogate pair can only be written as an escape. */
function isWellFormed(json: JsonValue): boolean {
  if (typeof json === "string") return json.isWellFormed();
  if (typeof json !== "object" || json === null) return true;
  if (Array.isArray(json)) return json.every(isWellFormed);
  return Object.entries(json).every(([key, value]) => key.isWellFormed() && isWellFormed(value));
}

interface OwnForm {
  readonly accepts: string;
  readonly takes: (json: JsonValue) => boolean;
  /** True for a type that is JSON itself, of any depth. */
  readonly isJson?: true;
}

const text = (matches: (text: string) => boolean) => (json: JsonValue) => typeof json === "string" && matches(json);

// Types that are JSON themselves are not read to be checked: 1 MiB of brackets becomes a million messages.
const FORMS: ReadonlyMap<string, OwnForm> = new Map([
  ["google.protobuf.Duration", { accepts: "a duration in seconds such as 1.5s", takes: text(isDuration) }],
  [FIELD_MASK, { accepts: "field names separated by commas", takes: text(isFieldMask) }],
  ["google.protobuf.ListValue", { accepts: "an array", takes: Array.isArray, isJson: true }],
  [
    "google.protobuf.Struct",
    {
      accepts: "a JSON object",
      takes: (json) => typeof json === "object" && json !== null && !Array.isArray(json),
      isJson: true,
    },
  ],
  ["google.protobuf.Timestamp", { accepts: "an RFC 3339 timestamp", takes: text(isTimestamp) }],
  ["google.protobuf.Value", { accepts: "a JSON value", takes: () => true, isJson: true }],
]);

/** Writes the paths of a field mask as JSON has them; what has no such form, such as `a_1`, stays as it is. */
function camelCase(mask: string): string {
  return mask.replace(/_[a-z]/g, (letter) => (letter[1] ?? "").toUpperCase());
}

function isFieldMask(mask: string): boolean {
  return (
    mask === "" || mask.split(",").every((path) => path.split(".").every((name) => /^[A-Za-z][A-Za-z0-9]*$/.test(name)))
  );
}
