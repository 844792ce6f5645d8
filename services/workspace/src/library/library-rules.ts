import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Caller, fail, MAX_TEXT_LENGTH, type OrganizationId, parseText, requirePermission } from "@cloud/rpc";
import type { LibraryKind } from "./library-kind.ts";

/** @throws INVALID_PARAMETER when it is over 255 characters. */
export function parseField(parameter: "name" | "description", value: string): string {
  const accepts = "at most " + String(MAX_TEXT_LENGTH) + " characters";
  return parseText(value, () => fail(Reason.INVALID_PARAMETER, { parameter, accepts }));
}

interface Item {
  readonly owner: string;
  readonly organization_id: OrganizationId;
}

/** An item is its owner's to change, and that of those who manage the library. @throws PERMISSION_DENIED. */
export function assertMayChange(caller: Caller, kind: LibraryKind, item: Item): void {
  if (caller.userId === "" || caller.userId !== item.owner) {
    requirePermission(caller, item.organization_id, kind.managePermission);
  }
}
