/** How a header such as Accept weighs a choice. */
export interface Weight {
  /** From 0, refused, to 1. */
  readonly quality: number;
  /** Of the range that decides: 0 for a wildcard or none at all, 1 for `type/*`, 2 for the name. */
  readonly precision: 0 | 1 | 2;
}

/**
 * Reads a header of weighted choices, Accept or Accept-Encoding (RFC 9110, 12.4). Returns the weight of a name, in lower
 * case; every name has weight 1 without the header, and with one that no client sends.
 */
export function readWeights(header: string | undefined): (name: string) => Weight {
  if (header === undefined || header.trim() === "" || header.length > LONGEST) return () => ANY;
  const weights = new Map(header.split(",").map(readRange));
  return (name) => {
    const slash = name.indexOf("/");
    const own = weights.get(name);
    if (own !== undefined) return { quality: own, precision: 2 };
    const kind = slash < 0 ? undefined : weights.get(`${name.slice(0, slash)}/*`);
    if (kind !== undefined) return { quality: kind, precision: 1 };
    return { quality: weights.get(slash < 0 ? "*" : "*/*") ?? 0, precision: 0 };
  };
}

function readRange(range: string): [type: string, weight: number] {
  const [type = "", ...parameters] = range
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return [type, weight === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0];
}

const ANY: Weight = { quality: 1, precision: 0 };

/** No client names so many types. */
const LONGEST = 1_000;
