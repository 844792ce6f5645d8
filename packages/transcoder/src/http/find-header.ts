type Headers = Readonly<Record<string, string>>;

/** Finds the name of a header as it is spelled; `name` is in lower case. */
export function findHeaderName(headers: Headers, name: string): string | undefined {
  for (const spelled in headers) if (spelled.length === name.length && spelled.toLowerCase() === name) return spelled;
  return undefined;
}

/** Finds the value of a header, however its name is spelled; `name` is in lower case. */
export function findHeader(headers: Headers, name: string): string | undefined {
  const spelled = findHeaderName(headers, name);
  return spelled === undefined ? undefined : headers[spelled];
}
