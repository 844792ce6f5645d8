/** Returns the index of the quote that ends the string at `start`. The text must be valid JSON. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
}

/** Decodes a string with its quotes. */
export function decodeString(quoted: string): string {
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
