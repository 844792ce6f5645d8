import type { Caller, OrganizationId, UserId } from "@cloud/contract";
import type { Context } from "../context.ts";
import { selectAdminRoles } from "../memberships/admin-sql.ts";

/** For whom a list of members is. */
export interface Viewer {
  /** Null for Provider Admins and services, who see all emails. */
  readonly userId: UserId | null;
  /** Whether a search finds emails: never those that the list does not show. */
  readonly searchesEmails: boolean;
}

/** Returns what the caller sees of the members of an organization. */
export async function viewerOf(context: Context, caller: Caller, organizationId: OrganizationId): Promise<Viewer> {
  const { userId, seesAllOrganizations } = caller;
  if (userId === "" || seesAllOrganizations) {
    return { userId: null, searchesEmails: true };
  }
  const { isOrgAdmin } = await selectAdminRoles(context.db, organizationId, userId);
  return { userId, searchesEmails: isOrgAdmin };
}
