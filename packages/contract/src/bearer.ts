/** Returns the token of an Authorization header (RFC 6750, 2.1); the scheme is case-insensitive. */
export function bearerOf(header: string | null | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(header?.trim() ?? "")?.[1];
}
