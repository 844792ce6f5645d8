import type { OrganizationId } from "@cloud/access/values";
import { sql, statement } from "@cloud/postgres";
import type { Connection, Credential, Environment } from "@cloud/proto/environment/v1/records_pb";
import { countRows, present } from "@cloud/service/testing";
import type { Fixture } from "./fixture.ts";

/** Creates an ordinary environment with the service credential. */
export async function newEnvironment(
  fixture: Fixture,
  organizationId: OrganizationId,
  texts: { name?: string; description?: string } = {},
): Promise<Environment> {
  const reply = await fixture.service.environments.createEnvironment({ organizationId, ...texts });
  return present(reply.environment);
}

export async function newPlatformEnvironment(fixture: Fixture, organizationId: OrganizationId): Promise<Environment> {
  const reply = await fixture.service.environments.provisionEnvironment({ organizationId, name: "platform" });
  return present(reply.environment);
}

export async function newConnection(
  fixture: Fixture,
  organizationId: OrganizationId,
  fields: { name?: string; description?: string; credentialId?: string } = {},
): Promise<Connection> {
  const reply = await fixture.service.connections.createConnection({ organizationId, ...fields });
  return present(reply.connection);
}

export async function newCredential(fixture: Fixture, organizationId: OrganizationId): Promise<Credential> {
  const reply = await fixture.service.credentials.createCredential({ organizationId, name: "credential" });
  return present(reply.credential);
}

export function linkCount({ db }: Fixture): Promise<number> {
  return countRows(db, sql`environment_connections`);
}

/** Returns the number of links with a deleted end, which must be 0. */
export function danglingLinks({ db }: Fixture): Promise<number> {
  return countRows(
    db,
    sql`
      environment_connections links
      join environments on environments.id = links.environment_id
      join connections on connections.id = links.connection_id
      where environments.deleted_at is not null or connections.deleted_at is not null`,
  );
}

/** Returns the types of the events in the outbox that contain the id, ordered by type. */
export async function eventsAbout(fixture: Fixture, id: string): Promise<string[]> {
  const { rows } = await fixture.db.read(
    statement<{ type: string }>`
      select type
      from outbox
      where position(convert_to($1, 'UTF8') in payload) > 0
      order by type`,
    [id],
  );
  return rows.map((row) => row.type);
}
