import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "./fail.ts";
import { type Id, isId } from "./id.ts";

/** The most ids of one look-up: 1,000 records of the longest texts are about 2 MB, well below the message limit. */
export const MAX_IDS = 1_000;

/** Parses the ids of a look-up and drops malformed ones, which name nothing. @throws INVALID_PARAMETER above 1,000. */
export function parseIds<T extends Id>(ids: readonly string[]): T[] {
  if (ids.length > MAX_IDS) throw fail(Reason.INVALID_PARAMETER, { parameter: "ids", accepts: "at most 1,000 ids" });
  return ids.filter(isId) as T[];
}
