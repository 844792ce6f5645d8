import { systemCaller } from "@cloud/access/testing";
import { newId, type OrganizationId, type WorkspaceId } from "@cloud/access/values";
import { type Database, type SqlText, statement } from "@cloud/postgres";
import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { countRows, createClients, credentialOf, plainCall } from "@cloud/service/testing";
import { openRaceDatabase, rewritingTransactions } from "@cloud/service/testing/races";
import { execute, testTelemetry } from "@cloud/testkit";
import type { Rewrite } from "@cloud/testkit/races";
import type { Context } from "../../src/context.ts";
import { peerPages } from "../../src/links/linked-page.ts";
import { selectLinkedWorkspace } from "../../src/links/linked-workspace-sql.ts";
import { peerRecords } from "../../src/links/peer-records.ts";
import { selectWorkspace } from "../../src/workspaces/sql.ts";
import { type Fixture, startFixture } from "../fixture.ts";

export interface RaceOrganization {
  readonly id: OrganizationId;
  readonly workspaces: readonly WorkspaceId[];
}

/** The stage of races: the service's database and peers, and a pool as wide as the races. */
export interface RaceStage {
  readonly fixture: Fixture;
  readonly db: Database;
  /** Returns the context of the handlers; a control changes the statements of their transactions. */
  contextWith(rewrite: Rewrite): Context;
  /** Inserts organizations with their workspaces, without a `My Workspace`. */
  newOrganizations(count: number, workspacesOfEach: number): Promise<RaceOrganization[]>;
  /** Counts the rows of `from`, a table and a condition. */
  count(from: SqlText, params: readonly unknown[]): Promise<number>;
  close(): Promise<void>;
}

/** A caller with every permission. */
export const system = systemCaller();
export const unchanged: Rewrite = (text) => text;

/** Starts the fixture and opens the stage on its database and peers. */
export async function startRaceStage(): Promise<RaceStage> {
  const fixture = await startFixture();
  const db = openRaceDatabase(fixture.db);
  const directories = {
    ...createClients({ identity: IdentityDirectory }, fixture.identity.url, credentialOf("workspace")),
    ...createClients({ environment: EnvironmentDirectory }, fixture.environment.url, credentialOf("workspace")),
  };
  const plain: Context = {
    ...plainCall(db),
    db,
    selectWorkspace: selectWorkspace(db),
    selectLinkedWorkspace: selectLinkedWorkspace(db),
    ...directories,
    peerRecords: peerRecords(directories),
    pages: peerPages({
      identity: createServiceTransport({
        url: fixture.identity.url,
        serviceToken: credentialOf("workspace"),
        deadlineMs: 30_000,
      }),
      environment: createServiceTransport({
        url: fixture.environment.url,
        serviceToken: credentialOf("workspace"),
        deadlineMs: 30_000,
      }),
    }),
    log: testTelemetry().log,
  };
  return {
    fixture,
    db,
    contextWith: (rewrite) => ({ ...plain, db: rewritingTransactions(db, rewrite) }),
    newOrganizations: (count, workspacesOfEach) => insertOrganizations(fixture.ownerDb, count, workspacesOfEach),
    count: (from, params) => countRows(db, from, params),
    close: async () => {
      await db.close();
      await fixture.stop();
    },
  };
}

async function insertOrganizations(db: Database, count: number, workspacesOfEach: number): Promise<RaceOrganization[]> {
  const organizations = Array.from({ length: count }, () => ({
    id: newId<OrganizationId>(),
    workspaces: Array.from({ length: workspacesOfEach }, () => newId<WorkspaceId>()),
  }));
  const places = organizations.flatMap(({ id, workspaces }) => workspaces.map((workspace) => [workspace, id] as const));
  await execute(
    db,
    statement`
      insert into organizations (id)
      select unnest($1::uuid[])`,
    [organizations.map(({ id }) => id)],
  );
  await execute(
    db,
    statement`
      insert into workspaces (id, organization_id, name, description, owner)
      select id, organization_id, '', '', ''
      from unnest($1::uuid[], $2::uuid[]) as t (id, organization_id)`,
    [places.map(([workspace]) => workspace), places.map(([, organization]) => organization)],
  );
  // Without statistics the planner assumes an empty table and reads it sequentially.
  await db.read(statement`analyze workspaces`);
  return organizations;
}
