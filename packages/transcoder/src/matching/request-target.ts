/** The target of an HTTP request, split but not decoded. */
export interface RequestTarget {
  /** From the first "/" to before the "?", as sent. */
  readonly path: string;
  /** The path split at every literal "/"; none for the root. */
  readonly segments: readonly string[];
  /** The text after the first "?", as sent; "" if there is none. */
  readonly query: string;
}

/** Splits a request target, `/path?query` or the absolute form that proxies send. Never throws. */
export function cutTarget(target: string): RequestTarget {
  const origin = target.startsWith("/") ? "" : (/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i.exec(target)?.[0] ?? "");
  const text = target.slice(origin.length);
  const sent = /[\x80-\xff]/.test(text) ? text.replace(/[\x80-\xff]/g, escapeByte) : text;
  const mark = sent.indexOf("?");
  const path = mark < 0 ? sent : sent.slice(0, mark);
  return { path, segments: cutPath(path), query: mark < 0 ? "" : sent.slice(mark + 1) };
}

function cutPath(path: string): string[] {
  // An absolute form without a path means the root.
  if (path === "" || path === "/") return [];
  // Such as the "*" of OPTIONS: an empty segment matches nothing.
  if (!path.startsWith("/")) return [""];
  return path.slice(1).split("/");
}

// Node passes bytes above 127 as Latin-1 characters; escaped, they are decoded as the UTF-8 that clients mean.
function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}
