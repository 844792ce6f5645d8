import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import {
  DELIMITED,
  FALL_BACK,
  FIXED32,
  FIXED64,
  type JsonWriter,
  QUOTE,
  VARINT,
  type WireReader,
} from "./wire-and-json.ts";

/** Writes one value whose tag has been read. */
export type WriteScalar = (input: WireReader, output: JsonWriter) => void;

interface ScalarForm {
  readonly wireType: number;
  readonly write: WriteScalar;
}

/** The form of each scalar on the wire and in JSON. */
export const SCALARS: Readonly<Record<ScalarType, ScalarForm>> = {
  [ScalarType.STRING]: { wireType: DELIMITED, write: writeString },
  [ScalarType.BYTES]: { wireType: DELIMITED, write: writeBytes },
  [ScalarType.BOOL]: { wireType: VARINT, write: writeBool },
  [ScalarType.INT32]: { wireType: VARINT, write: writeInt32 },
  [ScalarType.UINT32]: { wireType: VARINT, write: writeUint32 },
  [ScalarType.SINT32]: { wireType: VARINT, write: writeSint32 },
  [ScalarType.FIXED32]: { wireType: FIXED32, write: (input, output) => writeInteger(output, takeUint32(input)) },
  [ScalarType.SFIXED32]: { wireType: FIXED32, write: (input, output) => writeInteger(output, takeUint32(input) | 0) },
  [ScalarType.INT64]: { wireType: VARINT, write: writeInt64 },
  [ScalarType.UINT64]: { wireType: VARINT, write: writeUint64 },
  [ScalarType.SINT64]: { wireType: VARINT, write: writeSint64 },
  [ScalarType.FIXED64]: { wireType: FIXED64, write: writeFixed64 },
  [ScalarType.SFIXED64]: { wireType: FIXED64, write: writeSfixed64 },
  [ScalarType.FLOAT]: { wireType: FIXED32, write: writeFloat },
  [ScalarType.DOUBLE]: { wireType: FIXED64, write: writeDouble },
};

/** Compiles the writer of an enum's values, by name; an unknown value is a number. */
export function compileEnum(type: DescEnum): WriteScalar {
  if (type.typeName === "google.protobuf.NullValue") {
    return (input, output) => {
      input.uint64();
      output.ascii("null");
    };
  }
  const names = new Map(type.values.map((value) => [value.number, Buffer.from(JSON.stringify(value.jsonName))]));
  return (input, output) => {
    input.uint64();
    const value = input.low | 0;
    const name = names.get(value);
    if (name === undefined) writeInteger(output, value);
    else output.raw(name);
  };
}

function writeString(input: WireReader, output: JsonWriter): void {
  const end = input.end();
  output.string(input.bytes, input.at, end);
  input.at = end;
}

function writeBytes(input: WireReader, output: JsonWriter): void {
  const end = input.end();
  const { buffer, byteOffset } = input.bytes;
  output.byte(QUOTE);
  output.ascii(Buffer.from(buffer, byteOffset + input.at, end - input.at).toString("base64"));
  output.byte(QUOTE);
  input.at = end;
}

function writeBool(input: WireReader, output: JsonWriter): void {
  input.uint64();
  output.ascii(input.low !== 0 || input.high !== 0 ? "true" : "false");
}

function writeInt32(input: WireReader, output: JsonWriter): void {
  input.uint64();
  writeInteger(output, input.low | 0);
}

function writeUint32(input: WireReader, output: JsonWriter): void {
  input.uint64();
  writeInteger(output, input.low);
}

function writeSint32(input: WireReader, output: JsonWriter): void {
  input.uint64();
  writeInteger(output, (input.low >>> 1) ^ -(input.low & 1));
}

function writeInt64(input: WireReader, output: JsonWriter): void {
  input.uint64();
  writeSigned(input, output);
}

function writeUint64(input: WireReader, output: JsonWriter): void {
  input.uint64();
  writeUnsigned(input, output);
}

function writeSint64(input: WireReader, output: JsonWriter): void {
  input.uint64();
  const sign = -(input.low & 1);
  input.low = (((input.low >>> 1) | (input.high << 31)) ^ sign) >>> 0;
  input.high = ((input.high >>> 1) ^ sign) >>> 0;
  writeSigned(input, output);
}

function writeFixed64(input: WireReader, output: JsonWriter): void {
  takeUint64(input);
  writeUnsigned(input, output);
}

function writeSfixed64(input: WireReader, output: JsonWriter): void {
  takeUint64(input);
  writeSigned(input, output);
}

function writeFloat(input: WireReader, output: JsonWriter): void {
  const from = input.take(4);
  for (let index = 0; index < 4; index++) scratch[index] = input.bytes[from + index] as number;
  writeNumber(output, view.getFloat32(0, true));
}

export function writeDouble(input: WireReader, output: JsonWriter): void {
  const from = input.take(8);
  for (let index = 0; index < 8; index++) scratch[index] = input.bytes[from + index] as number;
  writeNumber(output, view.getFloat64(0, true));
}

function writeNumber(output: JsonWriter, value: number): void {
  output.ascii(Number.isFinite(value) ? String(value) : `"${value}"`);
}

function writeInteger(output: JsonWriter, value: number): void {
  if (value >= 0 && value < 10) output.byte(ZERO + value);
  else output.ascii(String(value));
}

// Integers of 64 bits are strings in JSON.
function writeSigned(input: WireReader, output: JsonWriter): void {
  if (input.high < 2 ** 20) writeUnsigned(input, output);
  else output.ascii(`"${BigInt.asIntN(64, join(input))}"`);
}

function writeUnsigned(input: WireReader, output: JsonWriter): void {
  output.byte(QUOTE);
  if (input.high < 2 ** 20) writeInteger(output, input.high * 2 ** 32 + input.low);
  else output.ascii(String(join(input)));
  output.byte(QUOTE);
}

function join({ low, high }: WireReader): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

function takeUint32(input: WireReader): number {
  const from = input.take(4);
  for (let index = 0; index < 4; index++) scratch[index] = input.bytes[from + index] as number;
  return view.getUint32(0, true);
}

function takeUint64(input: WireReader): void {
  input.low = takeUint32(input);
  input.high = takeUint32(input);
}

const scratch = new Uint8Array(8);
const view = new DataView(scratch.buffer);
const ZERO = 0x30;

/** Writes a google.protobuf.Timestamp up to `end` with three fractional digits, from 1970 to 9999. */
export function writeTimestamp(input: WireReader, output: JsonWriter, end: number): void {
  let seconds = 0;
  let nanos = 0;
  if (input.at < end && input.bytes[input.at] === SECONDS) {
    input.at++;
    input.uint64();
    seconds = input.high * 2 ** 32 + input.low;
  }
  if (input.at < end && input.bytes[input.at] === NANOS) {
    input.at++;
    nanos = input.uint32();
  }
  if (input.at !== end || seconds > LAST_SECOND || nanos > 999_999_999) throw FALL_BACK;
  const ofDay = seconds % 86_400;
  output.reserve(26);
  const { bytes } = output;
  let at = output.at;
  bytes[at++] = QUOTE;
  const date = dateOf(Math.floor(seconds / 86_400));
  for (let index = 0; index < date.length; index++) bytes[at++] = date.charCodeAt(index);
  const hours = Math.floor(ofDay / 3_600);
  at = writeTwo(bytes, at, hours, COLON);
  at = writeTwo(bytes, at, Math.floor(ofDay / 60) - hours * 60, COLON);
  at = writeTwo(bytes, at, ofDay % 60, POINT);
  const millis = Math.floor(nanos / 1e6);
  bytes[at++] = ZERO + Math.floor(millis / 100);
  at = writeTwo(bytes, at, millis % 100, LETTER_Z);
  bytes[at++] = QUOTE;
  output.at = at;
}

function writeTwo(bytes: Uint8Array, at: number, number: number, after: number): number {
  const tens = Math.floor(number / 10);
  bytes[at] = ZERO + tens;
  bytes[at + 1] = ZERO + number - 10 * tens;
  bytes[at + 2] = after;
  return at + 3;
}

/** The records of one answer are often of the same day. */
let lastDay = 0;
let lastDate = "1970-01-01T";

function dateOf(day: number): string {
  if (day !== lastDay) {
    lastDate = new Date(day * 86_400_000).toISOString().slice(0, 11);
    lastDay = day;
  }
  return lastDate;
}

const SECONDS = 0x08;
const NANOS = 0x10;
/** 9999-12-31T23:59:59Z */
const LAST_SECOND = 253_402_300_799;
const COLON = 0x3a;
const POINT = 0x2e;
const LETTER_Z = 0x5a;
