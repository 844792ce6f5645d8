import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import { type JsonWriter, QUOTE } from "./json-writer.ts";
import { DELIMITED, FIXED32, FIXED64, VARINT, type WireReader } from "./wire-reader.ts";

/** Writes one value, of which the tag was read. */
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
