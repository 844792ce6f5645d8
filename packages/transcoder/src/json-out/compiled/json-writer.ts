import { UNUSUAL } from "./unusual.ts";

/** Writes JSON as UTF-8. Strings are copied from the wire as they are: the result is to be checked once, as a whole. */
export class JsonWriter {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  at = 0;
  #largest = 0;

  /** Begins a text of at most `largest` bytes, beyond which it throws UNUSUAL. */
  begin(largest: number): void {
    this.at = 0;
    this.#largest = largest;
    // A large text is rare, and its buffer is not kept for it.
    if (this.bytes.length > KEPT_SIZE) this.bytes = Buffer.allocUnsafeSlow(FIRST_SIZE);
  }

  /** Makes room for `count` bytes. */
  reserve(count: number): void {
    const needed = this.at + count;
    if (needed <= this.bytes.length) return;
    if (needed > this.#largest) throw UNUSUAL;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length));
    grown.set(this.bytes.subarray(0, this.at));
    this.bytes = grown;
  }

  byte(byte: number): void {
    this.reserve(1);
    this.bytes[this.at++] = byte;
  }

  /** Copies bytes that are JSON already. */
  raw(json: Uint8Array): void {
    this.reserve(json.length);
    const { bytes } = this;
    let at = this.at;
    for (let index = 0; index < json.length; index++) bytes[at++] = json[index] as number;
    this.at = at;
  }

  /** Writes text of ASCII that is JSON already. */
  ascii(json: string): void {
    this.reserve(json.length);
    for (let index = 0; index < json.length; index++) this.bytes[this.at++] = json.charCodeAt(index);
  }

  /** Writes UTF-8 as a string, escaped as `JSON.stringify` does. */
  string(source: Uint8Array, from: number, to: number): void {
    if (this.at + 2 + 6 * (to - from) > this.bytes.length) this.reserve(2 + escapedLength(source, from, to));
    const { bytes } = this;
    let at = this.at;
    bytes[at++] = QUOTE;
    for (let index = from; index < to; index++) {
      const byte = source[index] as number;
      const letter = ESCAPES[byte] as number;
      if (letter === 0) {
        bytes[at++] = byte;
        continue;
      }
      bytes[at++] = BACKSLASH;
      bytes[at++] = letter;
      if (letter === LETTER_U) at += bytes.write(byte.toString(16).padStart(4, "0"), at, "latin1");
    }
    bytes[at++] = QUOTE;
    this.at = at;
  }
}

function escapedLength(source: Uint8Array, from: number, to: number): number {
  let length = 0;
  for (let index = from; index < to; index++) {
    const letter = ESCAPES[source[index] as number];
    length += letter === 0 ? 1 : letter === LETTER_U ? 6 : 2;
  }
  return length;
}

/** The largest answer of a list of 25 records is smaller. */
const FIRST_SIZE = 2 ** 16;
const KEPT_SIZE = 2 ** 20;

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** By byte: the letter after the backslash; 0 for a byte that is written as it is. */
const ESCAPES = new Uint8Array(256);
ESCAPES.fill(LETTER_U, 0, 0x20);
for (const [character, letter] of ['""', "\\\\", "\bb", "\ff", "\nn", "\rr", "\tt"]) {
  ESCAPES[(character as string).charCodeAt(0)] = (letter as string).charCodeAt(0);
}
