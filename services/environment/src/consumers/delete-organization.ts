import { insertionOf } from "@cloud/messaging";
import type { Reader } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import type { DeletedOrganization, DeletionBatch } from "@cloud/service";
import { connectionDeletion } from "../connections/connection-sql.ts";
import { credentialDeletion } from "../credentials/credential-sql.ts";
import { environmentDeletion } from "../environments/environment-sql.ts";
import { linkDeletion, linkDeletionOfEnvironments, selectLinksOfEnvironments } from "../links/assignment-sql.ts";

/**
 * Reads the next records of the organization, at most `most` of a kind. An environment is deleted once its links are, of
 * which there may be more than `most`. Both ends of a link are in the organization, so those of connections are deleted,
 * too.
 *
 * Locks in the order organization, credentials, environments, connections, links, as every request does.
 */
export async function nextDeletion(
  db: Reader,
  { id, actor }: DeletedOrganization,
  most: number,
): Promise<DeletionBatch> {
  const credentials = await credentialDeletion.selectNextOf(db, id, most);
  const deleteCredentials = [
    ...credentialDeletion.lock(credentials),
    ...credentialDeletion.softDeleteWith(id, credentials),
  ];
  if (credentials.length === most) return { hasMore: true, statements: deleteCredentials };
  const environments = await environmentDeletion.selectNextOf(db, id, most);
  const links = await selectLinksOfEnvironments(db, environments, most);
  if (links.length === most) return { hasMore: true, statements: [linkDeletion(links)] };
  const connections = environments.length < most ? await connectionDeletion.selectNextOf(db, id, most) : [];
  const deleted = environments.map((environmentId) => ({ environmentId, organizationId: id, actor }));
  return {
    hasMore: [environments, connections].some(({ length }) => length === most),
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
