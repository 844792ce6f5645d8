import type { OrganizationId } from "@cloud/access/values";
import { insertionOf } from "@cloud/events";
import type { Reader, Tx } from "@cloud/postgres";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { OrganizationDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import {
  type DeletedOrganization,
  type DeletionBatch,
  deleteOrganizationInBatches,
  deletionEffect,
  type RecordAuthority,
} from "@cloud/service/references";
import { connectionDeletion } from "./connections/sql.ts";
import { credentialDeletion } from "./credentials/sql.ts";
import { environmentDeletion } from "./environments/sql.ts";
import { linkDeletion, linkDeletionOfEnvironments, selectLinksOfEnvironments } from "./links/sql.ts";

/** Returns the effect that deletes everything in an organization once identity has confirmed its deletion. */
export const organizationDeleted = (identity: RecordAuthority) =>
  deletionEffect(
    OrganizationDeletedSchema,
    { owner: identity, kind: RecordKind.ORGANIZATION, idOf: (event) => event.organizationId },
    async (db, { organizationId, actor }) => {
      const organization = { id: organizationId as OrganizationId, actor };
      await deleteOrganizationInBatches(db, organization, nextDeletion);
    },
  );

/**
 * Reads the next records of the organization to delete, at most `max` of a kind. An environment is deleted once its
 * links are; there may be more than `max` links. Both ends of a link are in the organization, so this deletes the
 * links of all connections, too.
 *
 * The statements lock in the order organization, credentials, environments, connections, links, as every request does.
 */
export async function nextDeletion(
  db: Reader,
  { id, actor }: DeletedOrganization,
  max: number,
): Promise<DeletionBatch> {
  const credentials = await credentialDeletion.selectNextOf(db, id, max);
  const deleteCredentials = [
    ...credentialDeletion.lock(credentials),
    ...credentialDeletion.softDeleteWith(id, credentials),
  ];
  if (credentials.length === max) return { hasMore: true, statements: deleteCredentials };
  const environments = await environmentDeletion.selectNextOf(db, id, max);
  const links = await selectLinksOfEnvironments(db, environments, max);
  if (links.length === max) return { hasMore: true, statements: [linkDeletion(links)] };
  const connections = environments.length < max ? await connectionDeletion.selectNextOf(db, id, max) : [];
  const deleted = environments.map((environmentId) => ({ environmentId, organizationId: id, actor }));
  return {
    hasMore: [environments, connections].some(({ length }) => length === max),
    statements: [
      ...deleteCredentials,
      ...environmentDeletion.lock(environments),
      linkDeletionOfEnvironments(environments),
      ...environmentDeletion.softDeleteWith(id, environments),
      ...insertionOf(EnvironmentDeletedSchema, deleted),
      ...connectionDeletion.lock(connections),
      ...connectionDeletion.softDeleteWith(id, connections),
    ],
  };
}

/**
 * Restores the next credentials, environments and connections that were deleted with their organization, at most `max`
 * of each; returns whether there may be more. Links are not recreated.
 */
export async function restoreNextOfOrganization(tx: Tx, id: OrganizationId, max: number): Promise<boolean> {
  for (const { restoreNextOf } of [credentialDeletion, environmentDeletion, connectionDeletion]) {
    if ((await restoreNextOf(tx, id, max)).length === max) return true;
  }
  return false;
}
