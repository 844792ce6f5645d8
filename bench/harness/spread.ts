/** The median of repeated measurements, with the quartiles as their spread. */
export interface Spread {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
  readonly rounds: number;
}

/** Returns median and quartiles, interpolated linearly and rounded to three significant digits. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => {
    const position = part * (sorted.length - 1);
    const below = sorted[Math.floor(position)] ?? Number.NaN;
    const above = sorted[Math.ceil(position)] ?? Number.NaN;
    return round(below + (above - below) * (position - Math.floor(position)));
  };
  return { median: at(0.5), lower: at(0.25), upper: at(0.75), rounds: values.length };
}

function round(value: number): number {
  if (!Number.isFinite(value) || value === 0) return value;
  const digits = 2 - Math.floor(Math.log10(Math.abs(value)));
  return digits >= 0 ? Number(value.toFixed(digits)) : Math.round(value);
}
