import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { BindingOptions } from "./reading.ts";

/** A part of a name such as `a.b[c]`. */
interface Part {
  readonly text: string;
  /** The index at which the next part begins; undefined after the last one. */
  readonly next: number | undefined;
}

/**
 * Returns the part of a name that begins at `at`, after a dot or an opening bracket. A JSON name of the message that
 * the part is in may itself contain these: it is found before the name is cut. Undefined for a bracket that is not
 * closed, or with text after a closed one.
 */
export function nextPart(
  name: string,
  at: number,
  within: DescMessage | undefined,
  names: BindingOptions["parameterNames"],
): Part | undefined {
  const isBracketed = at > 0 && name[at - 1] === "[";
  for (const { jsonName, fieldKind } of within === undefined ? [] : uncutFields(within)) {
    const text = name.slice(at, at + jsonName.length);
    const isFound = text === jsonName || (names === "any-case" && text.toLowerCase() === jsonName.toLowerCase());
    const part = isFound ? partUpTo(name, at, at + jsonName.length, isBracketed) : undefined;
    const mayGoOn = fieldKind === "message" || fieldKind === "map" || fieldKind === "list";
    if (part !== undefined && (mayGoOn || part.next === undefined)) return part;
  }
  const end = isBracketed ? name.indexOf("]", at) : endOfPlain(name, at);
  return end < 0 ? undefined : partUpTo(name, at, end, isBracketed);
}

function endOfPlain(name: string, at: number): number {
  let end = at;
  while (end < name.length && name[end] !== "." && name[end] !== "[") end++;
  return end;
}

function partUpTo(name: string, at: number, end: number, isBracketed: boolean): Part | undefined {
  if (isBracketed && name[end] !== "]") return undefined;
  const after = isBracketed ? end + 1 : end;
  const text = name.slice(at, end);
  if (after === name.length) return { text, next: undefined };
  return name[after] === "." || name[after] === "[" ? { text, next: after + 1 } : undefined;
}

/** Cuts a name from `at` on into its parts, for an error; one part if it cannot be cut. */
export function cutName(name: string, at: number): string[] {
  const parts: string[] = [];
  for (let from: number | undefined = at; from !== undefined; ) {
    const part = nextPart(name, from, undefined, "exact");
    if (part === undefined) return [name.slice(at)];
    parts.push(part.text);
    from = part.next;
  }
  return parts;
}

const uncut = new WeakMap<DescMessage, readonly DescField[]>();

/** The fields whose JSON names would be cut, that with the longest name first. */
function uncutFields(message: DescMessage): readonly DescField[] {
  const known = uncut.get(message);
  if (known !== undefined) return known;
  const fields = message.fields.filter(({ jsonName }) => /[.[]/.test(jsonName));
  fields.sort((a, b) => b.jsonName.length - a.jsonName.length);
  uncut.set(message, fields);
  return fields;
}
