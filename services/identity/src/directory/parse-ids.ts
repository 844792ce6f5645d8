import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail, isId } from "@cloud/rpc";

/** So that one look-up's answer stays well below the message limit. */
const MAX_IDS = 1_000;

/** The ids of a look-up, without those that cannot name anything. @throws INVALID_PARAMETER for more than 1,000. */
export function parseIds(ids: readonly string[]): string[] {
  if (ids.length > MAX_IDS) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "ids", accepts: "at most 1,000 ids" });
  }
  return ids.filter(isId);
}
