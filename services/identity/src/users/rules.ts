import { fail } from "@cloud/access/errors";
import { fieldRuleOf } from "@cloud/access/lists";
import { isLongerThan } from "@cloud/access/values";
import { FieldKind } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";

/** The longest email. By RFC 5321, 4.5.3.1.3, a path has 256 octets, two of them its angle brackets. */
const { maxLength: MAX_EMAIL_LENGTH } = fieldRuleOf(FieldKind.EMAIL);
/** The longest URL that browsers and proxies are known to support. */
const { maxLength: MAX_URL_LENGTH } = fieldRuleOf(FieldKind.WEB_ADDRESS);
/** The form of an email: any characters, an @, and labels joined by dots. Only sending mail proves that it exists. */
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@.\p{Cc}]+(\.[^\s@.\p{Cc}]+)+$/u;

/** Parses an email address and trims the space around it. @throws INVALID_PARAMETER. */
export function parseEmail(value: string): string {
  const email = value.trim();
  if (isLongerThan(email, MAX_EMAIL_LENGTH) || !EMAIL.test(email)) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "email", accepts: "an email address" });
  }
  return email;
}

/** Requires an http or https URL, or an empty text: no other scheme may reach clients. @throws INVALID_PARAMETER. */
export function parseAvatarUrl(value: string): string {
  if (value !== "" && !isWebAddress(value)) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "avatar_url", accepts: "an http or https URL, or empty" });
  }
  return value;
}

function isWebAddress(value: string): boolean {
  const isPlain = !isLongerThan(value, MAX_URL_LENGTH) && !/[\s\p{Cc}]/u.test(value);
  return isPlain && ["http:", "https:"].includes(URL.parse(value)?.protocol ?? "");
}
