import type { OrganizationId } from "@cloud/contract";
import { appendEvents } from "@cloud/messaging";
import type { Tx } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { upsertOrganizationTombstone } from "@cloud/service";
import { softDeleteConnectionsOf } from "../connections/connection-sql.ts";
import { softDeleteCredentialsOf } from "../credentials/credential-sql.ts";
import { softDeleteEnvironmentsOf } from "../environments/environment-sql.ts";
import { deleteLinksOfOrganization } from "../links/assignment-sql.ts";

/**
 * Deletes everything in the organization. Only live rows change, so that a second delivery changes nothing. Returns
 * whether this was the first.
 *
 * Locks in the order organization, credentials, environments, connections, links, as every request does.
 */
export async function deleteOrganization(tx: Tx, organizationId: OrganizationId, actor: string): Promise<boolean> {
  const isFirst = await upsertOrganizationTombstone(tx, organizationId);
  await softDeleteCredentialsOf(tx, organizationId);
  const environments = await softDeleteEnvironmentsOf(tx, organizationId);
  await softDeleteConnectionsOf(tx, organizationId);
  await deleteLinksOfOrganization(tx, organizationId);
  appendEvents(
    tx,
    EnvironmentDeletedSchema,
    environments.map(({ id }) => ({ environmentId: id, organizationId, actor })),
  );
  return isFirst;
}
