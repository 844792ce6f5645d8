/** One pattern of a selector. */
export interface SelectorPattern {
  /** Such as `library.v1.LibraryService.GetBook`, `library.v1.*` or `*`. */
  readonly text: string;
  /** In the selector, from 1. */
  readonly column: number;
}

/** Splits a selector (google.api.DocumentationRule.selector) at its commas. */
export function splitSelector(selector: string): SelectorPattern[] {
  let from = 0;
  return selector.split(",").map((part) => {
    const column = from + part.length - part.trimStart().length + 1;
    from += part.length + 1;
    return { text: part.trim(), column };
  });
}

/** Returns what is wrong with the form of a pattern; undefined for nothing. */
export function findPatternFault({ text, column }: SelectorPattern): { column: number; what: string } | undefined {
  let at = column;
  const parts = text.split(".");
  for (const [index, part] of parts.entries()) {
    const isWildcard = part === "*" && index === parts.length - 1;
    if (part.includes("*") && !isWildcard)
      return { column: at + part.indexOf("*"), what: '"*" must be the whole last component' };
    if (!isWildcard && !/^[A-Za-z_]\w*$/.test(part)) return { column: at, what: "expected a name" };
    at += part.length + 1;
  }
  return undefined;
}

/** Whether a pattern selects a full name. */
export function selects({ text }: SelectorPattern, name: string): boolean {
  return text.endsWith("*") ? name.startsWith(text.slice(0, -1)) : name === text;
}
