/** Distinguishes our tokens from those of other systems, for people and for scanners for leaked secrets. */
export const TOKEN_PREFIX = "cst_";

/** The most tokens of one look-up. */
export const MAX_TOKENS = 256;

/** 43 characters of base64url carry 256 bits. */
const FORM = /^cst_[\w-]{43}$/;

/**
 * Returns whether a text may be a security token. Where it may not, neither identity nor its database needs to be asked:
 * an invented token then costs a regular expression instead of a call and a query.
 */
export function hasTokenForm(text: string): boolean {
  return FORM.test(text);
}
