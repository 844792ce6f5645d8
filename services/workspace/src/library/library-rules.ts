import { type Caller, type OrganizationId, requirePermission } from "@cloud/rpc";
import type { LibraryKind } from "./library-kind.ts";

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
