import type { Caller } from "@cloud/access";
import { reasonOf } from "@cloud/access/errors";
import { newId, type OrganizationId, type WorkspaceId } from "@cloud/access/values";
import type { Tx } from "@cloud/postgres";
import {
  insertOrganizationIfMissing,
  organizationNotFound,
  selectLiveOrganizationForShare,
} from "@cloud/service/references";
import { workspaceActivity } from "../activity/describe-activity.ts";
import { appendActivity } from "../activity/sql.ts";
import type { Context } from "../context.ts";
import { insertInitialWorkspace, selectUnknownOrganizationIds } from "./sql.ts";

/**
 * Runs `create` for a caller who may create in the organization. `create` locks it by `lockOrganization`: if that does
 * not find it, it runs once more when the organization is ensured, in case the event of its creation is late.
 *
 * @throws PERMISSION_DENIED to a user, ORGANIZATION_NOT_FOUND to a service, also if the organization is deleted.
 */
export async function createInOrganization<Reply>(
  context: Context,
  caller: Caller,
  organizationId: OrganizationId,
  create: () => Promise<Reply>,
): Promise<Reply> {
  await caller.requireCreation(organizationId);
  try {
    return await create();
  } catch (error) {
    if (reasonOf(error) !== reasonOf(organizationNotFound(caller))) throw error;
    await ensureOrganizations(context, [organizationId]);
    return await create();
  }
}

/**
 * Creates the `My Workspace` of each organization without a reference here, in case the events of their creation are
 * late. Asks identity for the owners of these only; skips an organization that identity no longer reports as live.
 */
export async function ensureOrganizations(context: Context, ids: readonly OrganizationId[]): Promise<void> {
  const unknown = await selectUnknownOrganizationIds(context.db, ids);
  for (let from = 0; from < unknown.length; from += BATCH) {
    const { organizations } = await context.identity.batchGetOrganizations({ ids: unknown.slice(from, from + BATCH) });
    // A transaction each: in a single one, two lists would lock the new rows in an order that events do not follow.
    for (const { id, owner } of organizations) {
      await context.db.transaction((tx) => provisionOrganization(tx, id as OrganizationId, owner));
    }
  }
}

/** The most ids that identity accepts in one look-up. */
const BATCH = 1_000;

/**
 * Creates the `My Workspace` of a live organization, exactly once, however many requests and events race: one of them
 * wins the unique index on initial workspaces, and the others change nothing.
 */
export async function provisionOrganization(tx: Tx, organizationId: OrganizationId, owner: string): Promise<void> {
  await insertOrganizationIfMissing(tx, organizationId);
  if (!(await selectLiveOrganizationForShare(tx, organizationId))) return;
  const id = newId<WorkspaceId>();
  if (!(await insertInitialWorkspace(tx, id, organizationId, owner))) return;
  appendActivity(tx, workspaceActivity("create", { id, organization_id: organizationId }, owner));
}
