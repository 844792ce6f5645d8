import { FieldKind } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "./fail.ts";
import { fieldRuleOf } from "./field-rule.ts";

/** Specification, section 8: names and descriptions. */
const { maxLength: MAX_TEXT_LENGTH } = fieldRuleOf(FieldKind.TEXT);

/**
 * Parses a name or description of at most 255 characters, counted as Unicode code points. @throws the error that
 * `tooLong` creates.
 */
export function parseText(value: string, tooLong: () => Error): string {
  if (isLongerThan(value, MAX_TEXT_LENGTH)) throw tooLong();
  // Postgres cannot store U+0000 in text.
  return value.replaceAll("\u0000", "");
}

/** Compares the length of a text, in Unicode code points. */
export function isLongerThan(value: string, length: number): boolean {
  // UTF-16 units are an upper bound, so only long texts need the exact count.
  return value.length > length && [...value].length > length;
}

/** Parses a text of at most 255 characters. @throws INVALID_PARAMETER with the parameter's name. */
export function parseTextParameter(parameter: string, value: string): string {
  const accepts = "at most " + String(MAX_TEXT_LENGTH) + " characters";
  return parseText(value, () => fail(Reason.INVALID_PARAMETER, { parameter, accepts }));
}
