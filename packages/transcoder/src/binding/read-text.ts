import type { DescField, DescMessage, JsonValue } from "@bufbuild/protobuf";
import { invalidParameter, repeatedParameter, TranscodingError } from "../errors/transcoding-error.ts";
import { parseDecimal } from "../json-in/decimal.ts";
import { parseJsonText } from "../json-in/parse-json.ts";
import { readEnum, readField, readSingular } from "../json-in/read-json.ts";
import { acceptsOf, FIELD_MASK, hasOwnJson, readOwnJson } from "../json-in/read-own-json.ts";
import { scalarFromText } from "../json-in/read-scalar.ts";
import { type Place, placeIn, withLiteral } from "./place.ts";
import type { Reading } from "./reading.ts";

/**
 * Reads text of a path or a query into the JSON of one value: of a singular field, an item of a list, or the value of a
 * map's entry. `isNearest` is that of `scalarFromText`. Throws a violation.
 */
export function readText(
  reading: Reading,
  field: DescField,
  text: string,
  place: Place,
  isNearest?: () => boolean,
): JsonValue {
  if (field.enum) return readEnum(field.enum, ...numberOf(text, place));
  if (field.message) return readMessageText(reading, field, field.message, text, place);
  if (field.scalar === undefined) throw invalidParameter(place, "left out");
  return scalarFromText(field.scalar, text, place, isNearest);
}

/** Reads the text of a whole map, which is JSON. */
export function readMapText(reading: Reading, field: DescField, text: string, place: Place): JsonValue {
  return readField(reading, field, parse(reading, text, place, "a JSON object"), place);
}

function readMessageText(
  reading: Reading,
  field: DescField,
  message: DescMessage,
  text: string,
  place: Place,
): JsonValue {
  if (TEXT_JSON.has(message.typeName)) return readOwnJson(reading, message, text, place);
  const [wrapped] = hasOwnJson(message) && message.fields.length === 1 ? message.fields : [];
  if (wrapped?.fieldKind === "scalar") return scalarFromText(wrapped.scalar, text, place);
  const accepts = hasOwnJson(message) ? acceptsOf(reading, message) : "a JSON object";
  const json = parse(reading, text, place, accepts);
  return readSingular(reading, field, json, typeof json === "number" ? withLiteral(place, text) : place);
}

/** Returns the number that a text is, with its place; the text itself, if it is none. */
function numberOf(text: string, place: Place): [JsonValue, Place] {
  return parseDecimal(text) === undefined ? [text, place] : [Number(text), withLiteral(place, text)];
}

function parse(reading: Reading, text: string, place: Place, accepts: string): JsonValue {
  try {
    return parseJsonText(text, reading.options.jsonDepth);
  } catch (error) {
    if (!(error instanceof TranscodingError)) throw error;
    if (error.kind !== "repeated-parameter") throw invalidParameter(place, accepts);
    throw repeatedParameter(placeIn(place, error.detail.parameter ?? ""));
  }
}

/** Types whose JSON is a string that is sent without quotes. */
const TEXT_JSON: ReadonlySet<string> = new Set(["google.protobuf.Duration", FIELD_MASK, "google.protobuf.Timestamp"]);
