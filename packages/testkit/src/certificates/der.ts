/** The few types of ASN.1 in DER (X.690) of which a certificate consists. */

/** Encodes a value of any type: its tag, its length and its contents. */
export function encode(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const length = content.length;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...long), content]);
}

export const sequence = (...values: readonly Uint8Array[]): Buffer => encode(0x30, ...values);
export const setOf = (value: Uint8Array): Buffer => encode(0x31, value);
export const octets = (value: Uint8Array): Buffer => encode(0x04, value);
export const bits = (value: Uint8Array): Buffer => encode(0x03, Buffer.of(0), value);
export const utf8 = (value: string): Buffer => encode(0x0c, Buffer.from(value));
export const trueValue: Buffer = encode(0x01, Buffer.of(0xff));

/** The first byte decides: below 0x80 the integer is positive, and a 0 would be padding. */
export const integer = (...bytes: readonly number[]): Buffer => encode(0x02, Buffer.from(bytes));

/** UTCTime, `YYMMDDhhmmssZ`: 1950 to 2049. */
export const time = (value: string): Buffer => encode(0x17, Buffer.from(value));

/** An object identifier, such as `2.5.4.3`. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split(".").map(Number);
  return encode(0x06, Buffer.of(first * 40 + second, ...others.flatMap(base128)));
}

function base128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}
