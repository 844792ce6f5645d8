import type { OrganizationId } from "@cloud/contract";
import type { Context } from "../context.ts";
import { selectUnknownOrganizationIds } from "./organization-sql.ts";
import { provisionOrganization } from "./provision-organization.ts";

/** The most ids that identity accepts in one look-up. */
const BATCH = 1_000;

/**
 * Creates the `My Workspace` of each organization without a reference here, in case the events of their creation are
 * late. Asks identity for the owners of those only; skips one that identity no longer reports as live.
 */
export async function ensureOrganizations(context: Context, ids: readonly OrganizationId[]): Promise<void> {
  const unknown = await selectUnknownOrganizationIds(context.db, ids);
  for (let from = 0; from < unknown.length; from += BATCH) {
    const { organizations } = await context.identity.batchGetOrganizations({ ids: unknown.slice(from, from + BATCH) });
    // One transaction each: in a single one, two lists would lock the new rows in an order that events do not follow.
    for (const { id, owner } of organizations) {
      await context.db.transaction((tx) => provisionOrganization(tx, id as OrganizationId, owner));
    }
  }
}
