import type { EnvironmentId } from "@cloud/contract";
import { appendEvents } from "@cloud/messaging";
import type { Tx } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import type { DeletedOrganization } from "@cloud/service";
import { connectionDeletion } from "../connections/connection-sql.ts";
import { credentialDeletion } from "../credentials/credential-sql.ts";
import { environmentDeletion } from "../environments/environment-sql.ts";
import { deleteLinksOfEnvironments } from "../links/assignment-sql.ts";

/**
 * Deletes the next records of the organization, at most `most` of a kind; returns whether there may be more. An
 * environment is deleted once its links are, of which there may be more than `most`. Both ends of a link are in the
 * organization, so those of connections are deleted, too.
 *
 * Locks in the order organization, credentials, environments, connections, links, as every request does.
 */
export async function deleteNextOfOrganization(
  tx: Tx,
  { id, actor }: DeletedOrganization,
  most: number,
): Promise<boolean> {
  if ((await credentialDeletion.softDeleteNextOf(tx, id, most)) === most) return true;
  const environments: EnvironmentId[] = await environmentDeletion.selectNextOf(tx, id, most);
  if ((await deleteLinksOfEnvironments(tx, environments, most)) === most) return true;
  await environmentDeletion.softDeleteWith(tx, id, environments);
  appendEvents(
    tx,
    EnvironmentDeletedSchema,
    environments.map((environmentId) => ({ environmentId, organizationId: id, actor })),
  );
  if (environments.length === most) return true;
  return (await connectionDeletion.softDeleteNextOf(tx, id, most)) === most;
}
