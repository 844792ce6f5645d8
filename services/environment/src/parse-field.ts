import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail, MAX_TEXT_LENGTH, parseText } from "@cloud/rpc";

/** A text of a connection or credential. @throws INVALID_PARAMETER over 255 characters. */
export function parseField(parameter: string, value: string): string {
  const accepts = `at most ${MAX_TEXT_LENGTH} characters`;
  return parseText(value, () => fail(Reason.INVALID_PARAMETER, { parameter, accepts }));
}
