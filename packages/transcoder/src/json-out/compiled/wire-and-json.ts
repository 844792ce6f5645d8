/** Reads the Protobuf wire format. Every method throws FALL_BACK for bytes that are not there. */
export class WireReader {
  readonly bytes: Uint8Array;
  at = 0;
  /** The two halves of the number that `uint64` has read last. */
  low = 0;
  high = 0;

  readonly #deepest: number;

  /** Creates a reader; the general decoder takes `deepest` messages in one another. */
  constructor(bytes: Uint8Array, deepest: number) {
    this.bytes = bytes;
    this.#deepest = deepest;
  }

  /** @throws FALL_BACK before the general decoder refuses so many messages in one another */
  assertDepth(depth: number): void {
    if (depth > this.#deepest - MARGIN) throw FALL_BACK;
  }

  /** Reads a varint of at most 32 bits, such as a tag. */
  uint32(): number {
    const { bytes } = this;
    let at = this.at;
    let byte = bytes[at++] as number;
    let value = byte & 0x7f;
    // Past the end there is `undefined`, which is not below 128 either.
    for (let shift = 7; !(byte < 0x80); shift += 7) {
      if (shift > 28) throw FALL_BACK;
      byte = bytes[at++] as number;
      if (shift === 28 && !(byte < 0x10)) throw FALL_BACK;
      value |= (byte & 0x7f) << shift;
    }
    this.at = at;
    return value >>> 0;
  }

  /** Reads a varint of at most 64 bits into `low` and `high`, both unsigned. */
  uint64(): void {
    const { bytes } = this;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = bytes[this.at++] as number;
      const bits = byte & 0x7f;
      if (shift < 32) low |= bits << shift;
      if (shift === 28) high = bits >>> 4;
      else if (shift > 28) high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw FALL_BACK;
  }

  /** Reads the length of a delimited field; returns where the field ends. */
  end(): number {
    const length = this.uint32();
    const end = this.at + length;
    if (end > this.bytes.length) throw FALL_BACK;
    return end;
  }

  /** Reads `count` bytes; returns where they begin. */
  take(count: number): number {
    const from = this.at;
    this.at += count;
    if (this.at > this.bytes.length) throw FALL_BACK;
    return from;
  }

  /** Skips the value of a field that no descriptor has. */
  skip(tag: number): void {
    if (tag < 8) throw FALL_BACK;
    switch (tag & 7) {
      case VARINT:
        this.uint64();
        return;
      case FIXED64:
        this.take(8);
        return;
      case DELIMITED:
        this.at = this.end();
        return;
      case FIXED32:
        this.take(4);
        return;
      default:
        throw FALL_BACK;
    }
  }
}

const MARGIN = 10;

export const VARINT = 0;
export const FIXED64 = 1;
export const DELIMITED = 2;
export const FIXED32 = 5;

/** Writes JSON as UTF-8. Strings are copied from the wire as they are: the result is to be checked once, as a whole. */
export class JsonWriter {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  at = 0;
  #largest = 0;

  /** Begins a text of at most `largest` bytes, beyond which it throws FALL_BACK. */
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
    if (needed > this.#largest) throw FALL_BACK;
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

/** The letter after the backslash by byte; 0 for a byte that is written as it is. */
const ESCAPES = new Uint8Array(256);
ESCAPES.fill(LETTER_U, 0, 0x20);
for (const [character, letter] of ['""', "\\\\", "\bb", "\ff", "\nn", "\rr", "\tt"]) {
  ESCAPES[(character as string).charCodeAt(0)] = (letter as string).charCodeAt(0);
}

/**
 * Thrown by the compiled writer for bytes that it leaves to the general decoder: fields out of order or given twice,
 * malformed or truncated input, and what is rare. One for all of them, because a stack costs more than the decision.
 */
export const FALL_BACK: Error = new Error("bytes for the general decoder");
