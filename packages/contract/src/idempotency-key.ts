import type { DescMethod } from "@bufbuild/protobuf";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "./fail.ts";

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

/** Returns whether an RPC creates a record for its callers: once for each idempotency key, and REST returns 201. */
export const createsRecord = ({ name }: DescMethod): boolean => name.startsWith("Create");
