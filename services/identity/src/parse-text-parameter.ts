import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail, parseText } from "@cloud/rpc";

/** A text of at most 255 characters. @throws INVALID_PARAMETER that names the parameter. */
export function parseTextParameter(parameter: string, value: string): string {
  return parseText(value, () => fail(Reason.INVALID_PARAMETER, { parameter, accepts: "at most 255 characters" }));
}
