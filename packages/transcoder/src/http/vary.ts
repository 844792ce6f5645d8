import { findHeaderName } from "./find-header.ts";

/** Returns headers whose Vary names `fields`, too. */
export function withVary(headers: Readonly<Record<string, string>>, fields: string): Readonly<Record<string, string>> {
  const name = findHeaderName(headers, "vary");
  return name === undefined ? { ...headers, Vary: fields } : { ...headers, [name]: `${headers[name]}, ${fields}` };
}
