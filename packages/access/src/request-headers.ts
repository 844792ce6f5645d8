import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "./errors/fail.ts";

/** The entity tags that a request accepts: the record must have one of them; null if it accepts any. */
export type RequiredTags = readonly string[] | null;

/**
 * The most tags of a request. A client has seen one or a few states of a record; each tag is compared in the statement.
 */
const MAX_TAGS = 100;
const ACCEPTS = `* or entity tags such as "9f2c6b1e4d0a7c35", with their quotes and at most ${MAX_TAGS}`;

/** White space, a comma, a tag (RFC 9110, 8.8.3; this system's are ASCII), or any other character. */
const PART = /[ \t]+|(,)|(W\/)?("[\x21\x23-\x7e]*")|(.)/gsu;

/**
 * Parses `*` or a list of entity tags, as If-Match has them. Drops weak tags: in the strong comparison they match
 * nothing (RFC 9110, 13.1.1).
 *
 * @throws INVALID_PARAMETER that names the parameter
 */
export function parseEntityTags(parameter: string, value: string): RequiredTags {
  if (value.trim() === "*") {
    return null;
  }
  const strong: string[] = [];
  let count = 0;
  let isSeparated = true;
  for (const [, comma, weak, tag, other] of value.matchAll(PART)) {
    if (other !== undefined || (tag !== undefined && !isSeparated)) {
      throw malformed(parameter);
    }
    if (comma !== undefined) isSeparated = true;
    if (tag === undefined) continue;
    isSeparated = false;
    count++;
    if (count > MAX_TAGS) {
      throw malformed(parameter);
    }
    if (weak === undefined) strong.push(tag);
  }
  if (count === 0) {
    throw malformed(parameter);
  }
  return strong;
}

const malformed = (parameter: string) => fail(Reason.INVALID_PARAMETER, { parameter, accepts: ACCEPTS });

const FORM = /^[\x20-\x7e]{1,255}$/;

/** Parses the header Idempotency-Key. @throws INVALID_PARAMETER */
export function parseIdempotencyKey(value: string): string {
  if (!FORM.test(value)) {
    throw fail(Reason.INVALID_PARAMETER, {
      parameter: "Idempotency-Key",
      accepts: "1 to 255 printable ASCII characters",
    });
  }
  return value;
}
