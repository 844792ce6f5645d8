import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { WireWriter } from "./wire-writer.ts";

/** The tags of google/protobuf/struct.proto: the number of the field, and its wire type. */
const FIELDS = 10;
const KEY = 10;
const MAP_VALUE = 18;
const NULL_VALUE = 8;
const NUMBER_VALUE = 17;
const STRING_VALUE = 26;
const BOOL_VALUE = 32;
const STRUCT_VALUE = 42;
const LIST_VALUE = 50;
const VALUES = 10;

/** What a value of metadata mostly takes less than: its length is one byte. */
const SHORT = 100;

/** Writes the fields of a google.protobuf.Struct. */
export function writeStruct(writer: WireWriter, object: JsonObject): void {
  for (const key of Object.keys(object)) {
    writer.varint(FIELDS);
    const entry = writer.begin(SHORT);
    writer.varint(KEY);
    writer.string(key);
    writer.varint(MAP_VALUE);
    const value = writer.begin(SHORT);
    writeValue(writer, object[key] as JsonValue);
    writer.end(value);
    writer.end(entry);
  }
}

function writeValue(writer: WireWriter, value: JsonValue): void {
  if (typeof value === "string") {
    writer.varint(STRING_VALUE);
    writer.string(value);
  } else if (typeof value === "number") {
    writer.varint(NUMBER_VALUE);
    writer.double(value);
  } else if (typeof value === "boolean") {
    writer.varint(BOOL_VALUE);
    writer.varint(value ? 1 : 0);
  } else if (value === null) {
    writer.varint(NULL_VALUE);
    writer.varint(0);
  } else {
    const isList = Array.isArray(value);
    writer.varint(isList ? LIST_VALUE : STRUCT_VALUE);
    const start = writer.begin(SHORT);
    if (isList) writeList(writer, value);
    else writeStruct(writer, value as JsonObject);
    writer.end(start);
  }
}

function writeList(writer: WireWriter, values: readonly JsonValue[]): void {
  for (const value of values) {
    writer.varint(VALUES);
    const start = writer.begin(SHORT);
    writeValue(writer, value);
    writer.end(start);
  }
}
