/** A number as it is written: `digits` times ten to the power of `exponent`. */
interface Decimal {
  readonly isNegative: boolean;
  /** The significant digits, without zeros at either end; "" for zero. */
  readonly digits: string;
  /** Below 0 for a number that is not whole. */
  readonly exponent: number;
}

/**
 * Reads a number of JSON, also with zeros before it; undefined for other text. Nothing is expanded: `1e1000000000` is
 * short.
 */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole, fraction = "", exponent = "0"] = NUMBER.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const written = whole + fraction;
  const [start, end] = [skipZeros(written, 0, 1), skipZeros(written, written.length - 1, -1) + 1];
  if (start === written.length) return { isNegative: false, digits: "", exponent: 0 };
  return {
    isNegative: sign === "-",
    digits: written.slice(start, end),
    exponent: Number(exponent) - fraction.length + (written.length - end),
  };
}

/** Returns the value of a whole number of at most `longest` digits; undefined for any other. */
export function wholeOf({ isNegative, digits, exponent }: Decimal, longest: number): bigint | undefined {
  if (exponent < 0 || digits.length + exponent > longest) return undefined;
  const value = BigInt(digits + "0".repeat(exponent));
  return isNegative ? -value : value;
}

/** Returns the index after a run of zeros. Not /0+$/, which takes quadratic time for zeros before another digit. */
function skipZeros(digits: string, from: number, step: 1 | -1): number {
  let at = from;
  while (digits[at] === "0") at += step;
  return at;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/; // protects: linear-numbers
