import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { type OrganizationId, parseId } from "@cloud/access/values";
import { type Database, sql, type Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import type { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import type { Client } from "@connectrpc/connect";
import {
  deleteOrganizationInBatches,
  type NextDeletion,
  type RestoreNext,
  restoreOrganizationInBatches,
} from "./delete-organization.ts";
import { selectLiveOrganizationForShare, selectLiveOrganizationIdsAfter } from "./organization-sql.ts";
import type { RecordAuthority } from "./owner.ts";
import type { ReferenceSet } from "./reconcile.ts";
import { selectTombstonesAfter } from "./references-sql.ts";

/**
 * Returns the organization that a request names, to a caller with the RPC's permission there, or to the `owner` of the
 * record that the request concerns, if the RPC permits that.
 *
 * @throws ORGANIZATION_NOT_FOUND for one that is malformed, unknown, or that the caller is not in; PERMISSION_DENIED
 */
export async function requireNamedOrganization(caller: Caller, id: string, owner = ""): Promise<OrganizationId> {
  const organizationId = parseId<OrganizationId>(id, Reason.ORGANIZATION_NOT_FOUND);
  await caller.requireAccess(organizationId, Reason.ORGANIZATION_NOT_FOUND, owner);
  return organizationId;
}

/**
 * Locks the organization, so that it stays live until `tx` ends. Without this lock, a record created during the
 * deletion of its organization would outlive it.
 *
 * @throws PERMISSION_DENIED to a user, ORGANIZATION_NOT_FOUND to a service, when it is deleted or unknown
 */
export async function lockOrganization(tx: Tx, caller: Caller, id: OrganizationId): Promise<void> {
  if (!(await selectLiveOrganizationForShare(tx, id))) throw organizationNotFound(caller);
}

/** Returns the error for an organization that is not live: a user must not learn whether it ever was. */
export function organizationNotFound(caller: Caller): Error {
  return caller.type === "user" ? caller.permissionDenied() : fail(Reason.ORGANIZATION_NOT_FOUND);
}

/**
 * Returns the organizations that a list covers: the named one, or all that identity reports as live at the time of the
 * call. A local tombstone comes by event, and the list would show a deleted organization's records until it arrives.
 */
export async function organizationsInScope(
  identity: Client<typeof DirectoryService>,
  scope: "all" | OrganizationId,
): Promise<readonly OrganizationId[]> {
  if (scope !== "all") return [scope];
  const { organizationIds } = await identity.listLiveOrganizationIds({});
  return organizationIds as OrganizationId[];
}

interface OrganizationReferencesOptions {
  readonly name: string;
  readonly identity: RecordAuthority;
  /** Reads the next records of an organization to delete, as the event of its deletion does. */
  readonly nextDeletion: NextDeletion;
  readonly restoreNext: RestoreNext;
}

/** Returns the references of a service to the organizations of identity, for the reconciler. */
export function organizationReferences(
  db: Database,
  { name, identity, nextDeletion, restoreNext }: OrganizationReferencesOptions,
): ReferenceSet {
  return {
    name,
    owner: identity,
    record: RecordKind.ORGANIZATION,
    inUse: (after, limit) => selectLiveOrganizationIdsAfter(db, after, limit),
    tombstones: (after, limit) => selectTombstonesAfter(db, sql`organizations`, after, limit),
    unlink: (id) => deleteOrganizationInBatches(db, { id: id as OrganizationId, actor: "" }, nextDeletion),
    clear: (tombstone) => restoreOrganizationInBatches(db, tombstone, restoreNext),
  };
}
