import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "@cloud/rpc";

/** RFC 5321, 4.5.3.1.3: a path of 256 octets, of which two are its angle brackets. */
const MAX_EMAIL_LENGTH = 254;
/** What browsers and proxies are known to carry. */
const MAX_URL_LENGTH = 2048;
/** Something, an @, and labels joined by dots; whether it is anybody's only a message to it can tell. */
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@.\p{Cc}]+(\.[^\s@.\p{Cc}]+)+$/u;

/** An email address, without the space around it. @throws INVALID_PARAMETER. */
export function parseEmail(value: string): string {
  const email = value.trim();
  if (email.length > MAX_EMAIL_LENGTH || !EMAIL.test(email)) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "email", accepts: "an email address" });
  }
  return email;
}

/** Empty, or a web address: clients show it, so no other scheme may reach them. @throws INVALID_PARAMETER. */
export function parseAvatarUrl(value: string): string {
  if (value !== "" && !isWebAddress(value)) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "avatarUrl", accepts: "an http or https URL, or empty" });
  }
  return value;
}

function isWebAddress(value: string): boolean {
  const isPlain = value.length <= MAX_URL_LENGTH && !/[\s\p{Cc}]/u.test(value);
  return isPlain && ["http:", "https:"].includes(URL.parse(value)?.protocol ?? "");
}
