import type { Connection, Credential, Environment } from "@cloud/proto/environment/v1/records_pb";
import type { OrganizationId } from "@cloud/rpc";
import type { Fixture } from "./fixture.ts";

/** Creates an ordinary environment as the system does. */
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

export async function linkCount(fixture: Fixture): Promise<number> {
  const { rows } = await fixture.db.query<{ count: number }>(
    "select count(*)::integer as count from environment_connections",
  );
  return rows[0]?.count ?? -1;
}

/** Links with an end that is deleted: there must never be one. */
export async function danglingLinks(fixture: Fixture): Promise<number> {
  const { rows } = await fixture.db.query<{ count: number }>(
    "select count(*)::integer as count from environment_connections links " +
      "join environments on environments.id = links.environment_id " +
      "join connections on connections.id = links.connection_id " +
      "where environments.deleted_at is not null or connections.deleted_at is not null",
  );
  return rows[0]?.count ?? -1;
}

/** The names of the event types in the outbox that tell of the id, oldest first. */
export async function eventsAbout(fixture: Fixture, id: string): Promise<string[]> {
  const { rows } = await fixture.db.query<{ type: string }>(
    "select type from outbox where position(convert_to($1, 'UTF8') in payload) > 0 order by type",
    [id],
  );
  return rows.map((row) => row.type);
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new Error("the reply holds no record");
  }
  return value;
}
