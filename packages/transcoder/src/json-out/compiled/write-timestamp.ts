import { type JsonWriter, QUOTE } from "./json-writer.ts";
import { UNUSUAL } from "./unusual.ts";
import type { WireReader } from "./wire-reader.ts";

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
  if (input.at !== end || seconds > LAST_SECOND || nanos > 999_999_999) throw UNUSUAL;
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
const ZERO = 0x30;
const COLON = 0x3a;
const POINT = 0x2e;
const LETTER_Z = 0x5a;
