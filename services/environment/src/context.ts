import type { Database } from "@cloud/postgres";
import type { OrganizationId } from "@cloud/rpc";

/** What the identity service answers about organizations, at the time of the call. */
export interface Organizations {
  /** Whether the organization exists and is not deleted. Throws UNAVAILABLE when identity cannot be asked. */
  isLive(organizationId: OrganizationId): Promise<boolean>;
  /** The live organizations among the ids, at most 1,000. Throws UNAVAILABLE when identity cannot be asked. */
  liveAmong(ids: readonly string[]): Promise<readonly OrganizationId[]>;
  /** The ids of all live organizations. Throws UNAVAILABLE when identity cannot be asked. */
  listLiveIds(): Promise<readonly OrganizationId[]>;
}

/** What a handler needs besides the caller and the request. */
export interface Context {
  readonly db: Database;
  readonly organizations: Organizations;
}
