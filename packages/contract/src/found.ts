import type { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "./fail.ts";

/** Returns what a look-up returned. @throws the given reason when that is undefined */
export function found<T>(row: T | undefined, notFound: Reason): T {
  if (row === undefined) throw fail(notFound);
  return row;
}
