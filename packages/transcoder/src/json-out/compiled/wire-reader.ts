import { UNUSUAL } from "./unusual.ts";

/** Reads the Protobuf wire format. Every method throws UNUSUAL for bytes that are not there. */
export class WireReader {
  readonly bytes: Uint8Array;
  at = 0;
  /** The two halves of the number that `uint64` has read last. */
  low = 0;
  high = 0;

  readonly #deepest: number;

  /** `deepest` is how many messages in one another the general decoder takes. */
  constructor(bytes: Uint8Array, deepest: number) {
    this.bytes = bytes;
    this.#deepest = deepest;
  }

  /** @throws UNUSUAL before the general decoder refuses so many messages in one another */
  assertDepth(depth: number): void {
    if (depth > this.#deepest - MARGIN) throw UNUSUAL;
  }

  /** Reads a varint of at most 32 bits, such as a tag. */
  uint32(): number {
    const { bytes } = this;
    let at = this.at;
    let byte = bytes[at++] as number;
    let value = byte & 0x7f;
    // Past the end there is `undefined`, which is not below 128 either.
    for (let shift = 7; !(byte < 0x80); shift += 7) {
      if (shift > 28) throw UNUSUAL;
      byte = bytes[at++] as number;
      if (shift === 28 && !(byte < 0x10)) throw UNUSUAL;
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
    throw UNUSUAL;
  }

  /** Reads the length of a delimited field; returns where the field ends. */
  end(): number {
    const length = this.uint32();
    const end = this.at + length;
    if (end > this.bytes.length) throw UNUSUAL;
    return end;
  }

  /** Reads `count` bytes; returns where they begin. */
  take(count: number): number {
    const from = this.at;
    this.at += count;
    if (this.at > this.bytes.length) throw UNUSUAL;
    return from;
  }

  /** Skips the value of a field that no descriptor has. */
  skip(tag: number): void {
    if (tag < 8) throw UNUSUAL;
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
        throw UNUSUAL;
    }
  }
}

const MARGIN = 10;

export const VARINT = 0;
export const FIXED64 = 1;
export const DELIMITED = 2;
export const FIXED32 = 5;
