import { type Database, openDatabase } from "@cloud/postgres";
import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import { createServiceTransport, newId, type OrganizationId, serviceCaller, type WorkspaceId } from "@cloud/rpc";
import { type Rewrite, rewriting, testTelemetry } from "@cloud/testkit";
import { createClient } from "@connectrpc/connect";
import type { Context } from "../../src/context.ts";
import type { Fixture } from "../fixture.ts";
import { SERVICE_TOKEN } from "../peers.ts";

export interface RaceOrganization {
  readonly id: OrganizationId;
  readonly workspaces: readonly WorkspaceId[];
}

/** Where the service's handlers race with each other: its database and neighbours, and a pool as wide as the races. */
export interface RaceStage {
  readonly fixture: Fixture;
  readonly db: Database;
  /** What the handlers are given; a control changes the statements of their transactions. */
  contextWith(rewrite: Rewrite): Context;
  /** Organizations that the service knows, without a `My Workspace`. */
  newOrganizations(count: number, workspacesOfEach: number): Promise<RaceOrganization[]>;
  /** How many rows there are in `from`, a table and a condition. */
  count(from: string, params: readonly unknown[]): Promise<number>;
  close(): Promise<void>;
}

/** May do everything. */
export const system = serviceCaller("");
export const unchanged: Rewrite = (text) => text;

export function openRaceStage(fixture: Fixture): RaceStage {
  const { log } = testTelemetry();
  // The races of a run are many, and may wait their turn on a busy machine.
  const patience = { connectTimeoutMs: 20_000, statementTimeoutMs: 20_000 };
  const db = openDatabase({ ...fixture.db, applicationName: "races", log, maxConnections: 40, ...patience });
  const peer = createServiceTransport({ url: fixture.peers.url, serviceToken: SERVICE_TOKEN });
  const peers = {
    identity: createClient(IdentityDirectory, peer),
    environment: createClient(EnvironmentDirectory, peer),
  };
  return {
    fixture,
    db,
    contextWith: (rewrite) => ({
      db: { ...db, withTransaction: (work) => db.withTransaction((tx) => work(rewriting(tx, rewrite))) },
      ...peers,
      log,
    }),
    newOrganizations: (count, workspacesOfEach) => insertOrganizations(db, count, workspacesOfEach),
    count: async (from, params) => {
      const { rows } = await db.query<{ count: string }>("select count(*) as count from " + from, params);
      return Number(rows[0]?.count);
    },
    close: () => db.close(),
  };
}

async function insertOrganizations(db: Database, count: number, workspacesOfEach: number): Promise<RaceOrganization[]> {
  const organizations = Array.from({ length: count }, () => ({
    id: newId<OrganizationId>(),
    workspaces: Array.from({ length: workspacesOfEach }, () => newId<WorkspaceId>()),
  }));
  const places = organizations.flatMap(({ id, workspaces }) => workspaces.map((workspace) => [workspace, id] as const));
  await db.query("insert into organizations (id) select unnest($1::uuid[])", [organizations.map(({ id }) => id)]);
  await db.query(
    "insert into workspaces (id, organization_id, name, description, owner)" +
      " select id, organization_id, '', '', '' from unnest($1::uuid[], $2::uuid[]) as t (id, organization_id)",
    [places.map(([workspace]) => workspace), places.map(([, organization]) => organization)],
  );
  // Without it the planner takes the table for empty, and reads it from end to end.
  await db.query("analyze workspaces");
  return organizations;
}
