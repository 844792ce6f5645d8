import { type Caller, fail, type OrganizationId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { selectLiveOrganizationForShare } from "./organization-sql.ts";

/**
 * Keeps the organization live until the end of `tx`: without this lock a record created beside the deletion of its
 * organization would outlive it.
 *
 * @throws PERMISSION_DENIED to a user, ORGANIZATION_NOT_FOUND to a service, when it is deleted or unknown
 */
export async function lockOrganization(tx: Tx, caller: Caller, id: OrganizationId): Promise<void> {
  if (!(await selectLiveOrganizationForShare(tx, id))) throw organizationNotFound(caller);
}

/** Returns the error for an organization that is not live: a user must not learn whether it ever was. */
export function organizationNotFound(caller: Caller): Error {
  return caller.kind === "user" ? caller.permissionDenied() : fail(Reason.ORGANIZATION_NOT_FOUND);
}
