import type { WireReader } from "./wire-and-json.ts";
import { FALL_BACK, type JsonWriter, QUOTE } from "./wire-and-json.ts";
import { writeDouble } from "./write-scalar.ts";

/** Writes a google.protobuf.Struct up to `end`. */
export function writeStruct(input: WireReader, output: JsonWriter, end: number, depth: number): void {
  input.assertDepth(depth);
  const start = output.at;
  const keys: Key[] = [];
  while (input.at < end) {
    if (input.bytes[input.at++] !== ENTRY) throw FALL_BACK;
    const entryEnd = input.end();
    if (input.bytes[input.at++] !== KEY) throw FALL_BACK;
    const keyEnd = input.end();
    const key = { from: input.at, to: keyEnd };
    if (isReordered(input.bytes, key) || isTaken(input.bytes, keys, key)) throw FALL_BACK;
    keys.push(key);
    output.byte(COMMA);
    output.string(input.bytes, key.from, key.to);
    output.byte(COLON);
    input.at = keyEnd;
    if (input.bytes[input.at++] !== VALUE) throw FALL_BACK;
    const valueEnd = input.end();
    writeValue(input, output, valueEnd, depth + 1);
    if (input.at !== entryEnd) throw FALL_BACK;
  }
  if (input.at !== end) throw FALL_BACK;
  enclose(output, start, OPEN_BRACE, CLOSE_BRACE);
}

/** Writes a google.protobuf.ListValue up to `end`. */
export function writeListValue(input: WireReader, output: JsonWriter, end: number, depth: number): void {
  input.assertDepth(depth);
  const start = output.at;
  while (input.at < end) {
    if (input.bytes[input.at++] !== ITEM) throw FALL_BACK;
    output.byte(COMMA);
    const itemEnd = input.end();
    writeValue(input, output, itemEnd, depth + 1);
  }
  if (input.at !== end) throw FALL_BACK;
  enclose(output, start, OPEN_BRACKET, CLOSE_BRACKET);
}

/** Writes a google.protobuf.Value up to `end`. */
function writeValue(input: WireReader, output: JsonWriter, end: number, depth: number): void {
  input.assertDepth(depth);
  switch (input.at < end ? input.bytes[input.at++] : undefined) {
    case NULL_VALUE:
      if (input.uint32() !== 0) throw FALL_BACK;
      output.ascii("null");
      break;
    case NUMBER_VALUE:
      writeFinite(input, output);
      break;
    case STRING_VALUE: {
      const textEnd = input.end();
      output.string(input.bytes, input.at, textEnd);
      input.at = textEnd;
      break;
    }
    case BOOL_VALUE:
      writeBoolean(input, output);
      break;
    case STRUCT_VALUE:
      writeStruct(input, output, input.end(), depth + 1);
      break;
    case LIST_VALUE:
      writeListValue(input, output, input.end(), depth + 1);
      break;
    default:
      throw FALL_BACK;
  }
  if (input.at !== end) throw FALL_BACK;
}

function writeFinite(input: WireReader, output: JsonWriter): void {
  const start = output.at;
  writeDouble(input, output);
  // NaN and the infinities are strings elsewhere, and no JSON here.
  if (output.bytes[start] === QUOTE) throw FALL_BACK;
}

function writeBoolean(input: WireReader, output: JsonWriter): void {
  const value = input.uint32();
  if (value > 1) throw FALL_BACK;
  output.ascii(value === 1 ? "true" : "false");
}

/** The place of a key in the input. */
interface Key {
  readonly from: number;
  readonly to: number;
}

/** Whether a key is a whole number: JavaScript moves such keys to the front of an object. */
function isReordered(bytes: Uint8Array, { from, to }: Key): boolean {
  for (let index = from; index < to; index++) {
    const byte = bytes[index] as number;
    if (byte < ZERO || byte > NINE) return false;
  }
  return to > from;
}

/** Whether a key was given before; the general decoder then writes its last value at the place of the first. */
function isTaken(bytes: Uint8Array, keys: readonly Key[], key: Key): boolean {
  if (keys.length > MANY_KEYS) throw FALL_BACK;
  for (const known of keys) if (isSame(bytes, known, key)) return true;
  return false;
}

function isSame(bytes: Uint8Array, left: Key, right: Key): boolean {
  if (left.to - left.from !== right.to - right.from) return false;
  for (let index = left.from, other = right.from; index < left.to; index++, other++) {
    if (bytes[index] !== bytes[other]) return false;
  }
  return true;
}

/** The most keys of an object, because each is compared with all before it. */
const MANY_KEYS = 64;

/** Replaces the comma before the first part by the opening bracket. */
export function enclose(output: JsonWriter, start: number, open: number, close: number): void {
  if (output.at === start) output.byte(open);
  else output.bytes[start] = open;
  output.byte(close);
}

export const COMMA = 0x2c;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const ZERO = 0x30;
const NINE = 0x39;

// The tags of google/protobuf/struct.proto.
const ENTRY = 0x0a;
const KEY = 0x0a;
const VALUE = 0x12;
const ITEM = 0x0a;
const NULL_VALUE = 0x08;
const NUMBER_VALUE = 0x11;
const STRING_VALUE = 0x1a;
const BOOL_VALUE = 0x20;
const STRUCT_VALUE = 0x2a;
const LIST_VALUE = 0x32;
