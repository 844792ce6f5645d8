import { appendEvents } from "@cloud/messaging";
import type { Reader, Tx } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import type { DeletedOrganization, DeletionBatch } from "@cloud/service";
import { connectionDeletion } from "../connections/connection-sql.ts";
import { credentialDeletion } from "../credentials/credential-sql.ts";
import { environmentDeletion } from "../environments/environment-sql.ts";
import { deleteLinks, deleteLinksOfEnvironments, selectLinksOfEnvironments } from "../links/assignment-sql.ts";

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
  const deleteCredentials = async (tx: Tx) => {
    await credentialDeletion.lock(tx, credentials);
    await credentialDeletion.softDeleteWith(tx, id, credentials);
  };
  if (credentials.length === most) return { hasMore: true, run: deleteCredentials };
  const environments = await environmentDeletion.selectNextOf(db, id, most);
  const links = await selectLinksOfEnvironments(db, environments, most);
  if (links.length === most) return { hasMore: true, run: (tx) => deleteLinks(tx, links) };
  const connections = environments.length < most ? await connectionDeletion.selectNextOf(db, id, most) : [];
  return {
    hasMore: [environments, connections].some(({ length }) => length === most),
    run: async (tx) => {
      await deleteCredentials(tx);
      await environmentDeletion.lock(tx, environments);
      await deleteLinksOfEnvironments(tx, environments);
      await environmentDeletion.softDeleteWith(tx, id, environments);
      const deleted = environments.map((environmentId) => ({ environmentId, organizationId: id, actor }));
      await appendEvents(tx, EnvironmentDeletedSchema, deleted);
      await connectionDeletion.lock(tx, connections);
      await connectionDeletion.softDeleteWith(tx, id, connections);
    },
  };
}
