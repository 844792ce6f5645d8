/** Decodes one segment, name or value; undefined if an escape is malformed or does not spell UTF-8. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A "/" that was decoded could not be distinguished from a separator. */
export const SLASH: ReadonlySet<string> = new Set(["%2F"]);

/** The reserved characters of RFC 3986, 2.2, which reserved expansion (RFC 6570, 3.2.3) leaves as they are. */
export const RESERVED: ReadonlySet<string> = new Set(
  Array.from(":/?#[]@!$&'()*+,;=", (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`),
);

/** Decodes one of several segments that become one value: all but the escapes in `kept`, which stay, in upper case. */
export function percentDecodeBut(kept: ReadonlySet<string>, text: string): string | undefined {
  let decoded = "";
  let from = 0;
  for (let at = text.indexOf("%"); at >= 0; at = text.indexOf("%", at + 1)) {
    const escaped = text.slice(at, at + 3).toUpperCase();
    if (!kept.has(escaped)) continue;
    const part = percentDecode(text.slice(from, at));
    if (part === undefined) return undefined;
    decoded += part + escaped;
    from = at + 3;
  }
  const rest = percentDecode(text.slice(from));
  return rest === undefined ? undefined : decoded + rest;
}
