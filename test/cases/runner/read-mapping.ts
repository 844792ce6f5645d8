import type { Mapping } from "./case-file.ts";

/** Reads a mapping with no other keys than `known`. Anything else throws an Error that contains the place. */
export function readMapping(value: unknown, where: string, known?: readonly string[]): Mapping {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`${where}: must be a mapping, not ${describeKind(value)}`);
  }
  const unknown = Object.keys(value).find((key) => known !== undefined && !known.includes(key));
  if (unknown !== undefined) {
    throw new Error(`${where}: unknown key "${unknown}"; known are ${known?.join(", ")}`);
  }
  return value as Mapping;
}

/** Reads a list with `readItem`; an absent one is empty. */
export function readList<T>(value: unknown, where: string, readItem: (item: unknown, where: string) => T): T[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error(`${where}: must be a list, not ${describeKind(value)}`);
  return value.map((item, index) => readItem(item, `${where}[${index}]`));
}

export function readText(value: unknown, where: string): string {
  if (typeof value !== "string") throw new Error(`${where}: must be a text, not ${describeKind(value)}`);
  return value;
}

function describeKind(value: unknown): string {
  if (value === undefined) return "absent";
  if (value === null) return "empty";
  return Array.isArray(value) ? "a list" : `a ${typeof value === "object" ? "mapping" : typeof value}`;
}
