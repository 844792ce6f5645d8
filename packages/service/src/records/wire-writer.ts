import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** The most characters for which a loop costs less than a call of Node's encoder. */
const MAX_LOOPED = 64;
/** The bytes of the longest varint of 32 bits, such as a tag or a length. */
const VARINT_BYTES = 5;

/**
 * Writes Protobuf's wire format. The library's writer takes 0.2 µs for a text of more than 32 characters, such as an
 * id. A record has two ids.
 */
export class WireWriter {
  #bytes: Buffer;
  #at = 0;

  /** Reserves `expected` bytes, about as many as will be written. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafeSlow(expected);
  }

  /** Writes an integer from 0 up to 2^32 - 1. */
  varint(value: number): void {
    this.#reserve(VARINT_BYTES);
    const bytes = this.#bytes;
    let rest = value;
    while (rest > 0x7f) {
      bytes[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[this.#at++] = rest;
  }

  /** Writes an integer of 64 bits. */
  varint64(value: bigint): void {
    this.#reserve(10);
    let rest = BigInt.asUintN(64, value);
    while (rest > 0x7fn) {
      this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.#at++] = Number(rest);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  /** Writes a text, after its length. */
  string(text: string): void {
    const { length } = text;
    // A character takes at most three bytes.
    this.#reserve(length * 3 + VARINT_BYTES);
    if (length <= MAX_LOOPED && this.#ascii(text)) return;
    const start = this.#begin(length);
    this.#at += this.#bytes.write(text, this.#at, "utf8");
    this.end(start);
  }

  /** Begins a part that follows its length, of about `expected` bytes. Returns the position for `end`. */
  begin(expected: number): number {
    this.#reserve(VARINT_BYTES);
    return this.#begin(expected);
  }

  /** Ends the part that `begin` began; the part begun last ends first. */
  end(start: number): void {
    const length = this.#at - start;
    const reserved = this.#bytes[start - 1] as number;
    const needed = varintBytes(length);
    if (needed !== reserved) {
      this.#reserve(VARINT_BYTES);
      this.#bytes.copyWithin(start - reserved + needed, start, this.#at);
    }
    this.#at = start - reserved;
    this.varint(length);
    this.#at += length;
  }

  /** Returns all written bytes. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  /** Leaves room for a length. Its last byte contains the size of the room, until the length is written. */
  #begin(expected: number): number {
    const room = varintBytes(expected);
    this.#at += room;
    this.#bytes[this.#at - 1] = room;
    return this.#at;
  }

  /** Writes a short text if it is ASCII. */
  #ascii(text: string): boolean {
    const bytes = this.#bytes;
    const { length } = text;
    let at = this.#at;
    bytes[at++] = length;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return false;
      bytes[at++] = code;
    }
    this.#at = at;
    return true;
  }

  #reserve(size: number): void {
    const required = this.#at + size;
    if (required <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(required, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes++;
  return bytes;
}

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

/** Most metadata values are shorter than this, so their length prefix is one byte. */
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
