/** Decodes one segment, name or value; undefined if an escape is malformed or does not spell UTF-8. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Decodes one of several segments that become one value: all but an escaped "/", which stays `%2F`, in upper case.
 * Decoded, it could not be distinguished from a separator.
 */
export function percentDecodeButSlash(text: string): string | undefined {
  let decoded = "";
  let from = 0;
  for (let at = text.indexOf("%2"); at >= 0; at = text.indexOf("%2", at + 1)) {
    if (text[at + 2] !== "F" && text[at + 2] !== "f") continue;
    const part = percentDecode(text.slice(from, at));
    if (part === undefined) return undefined;
    decoded += `${part}%2F`;
    from = at + 3;
  }
  const rest = percentDecode(text.slice(from));
  return rest === undefined ? undefined : decoded + rest;
}
