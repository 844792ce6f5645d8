import { create } from "@bufbuild/protobuf";
import { type Database, openDatabase, type Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import {
  DeleteWorkspaceRequestSchema,
  ListWorkspacesRequestSchema,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import {
  createServiceTransport,
  type Id,
  newId,
  type OrganizationId,
  reasonOf,
  serviceCaller,
  type WorkspaceId,
} from "@cloud/rpc";
import { testTelemetry } from "@cloud/testkit";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { assignResource } from "../src/assignments/assign-resource.ts";
import { deleteLinksOfResource } from "../src/assignments/assignment-sql.ts";
import { environments } from "../src/assignments/environments.ts";
import { upsertReferenceTombstone } from "../src/assignments/reference-sql.ts";
import { removeResource } from "../src/assignments/remove-resource.ts";
import { teams } from "../src/assignments/teams.ts";
import type { Context } from "../src/context.ts";
import { welcomeOrganization } from "../src/organizations/welcome-organization.ts";
import { deleteWorkspace } from "../src/workspaces/delete-workspace.ts";
import { listWorkspaces } from "../src/workspaces/list-workspaces.ts";
import { insertWorkspace } from "../src/workspaces/workspace-sql.ts";
import { type Fixture, startFixture } from "./fixture.ts";
import { SERVICE_TOKEN } from "./peers.ts";

/** Changes a statement before it is sent: how a control takes a protection away. */
type Rewrite = (text: string) => string;

const system = serviceCaller("");
const unchanged: Rewrite = (text) => text;
let f: Fixture;
let db: Database;

beforeAll(async () => {
  f = await startFixture();
  // A pool as wide as the races.
  db = openDatabase({ ...f.db, applicationName: "races", log: testTelemetry().log, maxConnections: 40 });
});
afterAll(async () => {
  await db.close();
  await f.stop();
});

/** What the service's handlers are given, on the wide pool. */
function contextWith(rewrite: Rewrite): Context {
  const peer = createServiceTransport({ url: f.peers.url, serviceToken: SERVICE_TOKEN });
  return {
    db: {
      ...db,
      withTransaction: (work) =>
        db.withTransaction((tx) =>
          work({ query: (text: string, params?: readonly unknown[]) => tx.query(rewrite(text), params) } as Tx),
        ),
    },
    identity: createClient(IdentityDirectory, peer),
    environment: createClient(EnvironmentDirectory, peer),
    log: testTelemetry().log,
  };
}

/** The context, with a signal at the moment when the owner of a resource has answered. */
function tellingOfLookUps(context: Context, lookedUp: () => void): Context {
  const telling =
    <Args extends unknown[], Reply>(lookUp: (...args: Args) => Promise<Reply>) =>
    async (...args: Args) => {
      const reply = await lookUp(...args);
      lookedUp();
      return reply;
    };
  const { identity, environment } = context;
  return {
    ...context,
    identity: { ...identity, batchGetTeams: telling(identity.batchGetTeams) },
    environment: { ...environment, batchGetEnvironments: telling(environment.batchGetEnvironments) },
  };
}

/** Starts all at once; answers the reason of each that failed, `done` for each that did not. */
async function race(racers: readonly (() => Promise<unknown>)[]): Promise<(Reason | "done")[]> {
  const results = await Promise.allSettled(racers.map((racer) => racer()));
  return results.map((result) => (result.status === "fulfilled" ? "done" : reasonOf(result.reason)));
}

const count = async (text: string, params: unknown[]) =>
  Number((await db.query<{ count: string }>("select count(*) as count from " + text, params)).rows[0]?.count);

async function organizationWith(workspaces: number): Promise<{ id: OrganizationId; workspaces: WorkspaceId[] }> {
  const id = newId<OrganizationId>();
  f.peers.organizations.set(id, "");
  const ids = Array.from({ length: workspaces }, () => newId<WorkspaceId>());
  await db.withTransaction(async (tx) => {
    await tx.query("insert into organizations (id) values ($1)", [id]);
    for (const workspace of ids) {
      await insertWorkspace(tx, { id: workspace, organizationId: id, name: "", description: "", owner: "" });
    }
  });
  return { id, workspaces: ids };
}

describe("the floor: concurrent deletions of an organization's last workspaces", () => {
  const ROUNDS = 25;
  const RACERS = 4;

  async function play(rewrite: Rewrite) {
    const context = contextWith(rewrite);
    const left: number[] = [];
    const refused: (Reason | "done")[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const organization = await organizationWith(RACERS);
      const racers = organization.workspaces.map(
        (id) => () => deleteWorkspace(context, system, create(DeleteWorkspaceRequestSchema, { id })),
      );
      refused.push(...(await race(racers)).filter((result) => result !== "done"));
      left.push(await count("workspaces where organization_id = $1 and deleted_at is null", [organization.id]));
    }
    return { left, refused };
  }

  test("always leave one, and the loser is told why", async () => {
    const { left, refused } = await play(unchanged);
    expect(left).toEqual(Array(ROUNDS).fill(1));
    expect(refused).toEqual(Array(ROUNDS).fill(Reason.LAST_WORKSPACE));
  });

  test("control: without the organization's row lock they leave none", async () => {
    const { left } = await play((text) =>
      text.replace("from organizations where id = $1 for update", "from organizations where id = $1"),
    );
    expect(left).toContain(0);
  });
});

describe.each(["environment", "team"] as const)("assign against delete of the %s", (kind) => {
  const ROUNDS = 150;

  async function play(rewrite: Rewrite): Promise<number> {
    const { id: organizationId, workspaces } = await organizationWith(1);
    const [workspaceId = ""] = workspaces;
    const resources: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const resourceId =
        kind === "environment" ? f.peers.addEnvironment(organizationId) : f.peers.addTeam(organizationId);
      resources.push(resourceId);
      const lookedUp = Promise.withResolvers<void>();
      const context = tellingOfLookUps(contextWith(rewrite), lookedUp.resolve);
      const link = kind === "environment" ? environments : teams;
      await race([
        () => assignResource(context, system, link, { workspaceId, resourceId }),
        // The owner has said that it lives; now it is deleted, and the event arrives: what the consumer does.
        async () => {
          await lookedUp.promise;
          await context.db.withTransaction(async (tx) => {
            await upsertReferenceTombstone(tx, kind, resourceId as Id);
            await deleteLinksOfResource(tx, kind, resourceId as Id);
          });
        },
      ]);
    }
    return count("assignments where resource_id = any($1)", [resources]);
  }

  test("never leaves a link to something that is gone", async () => {
    expect(await play(unchanged)).toBe(0);
  });

  test("control: without the tombstone it does", async () => {
    const blind: Rewrite = (text) => text.replace(" and deleted_at is null for share", "");
    expect(await play(blind)).toBeGreaterThan(0);
  });
});

describe("64 parallel identical assigns, then 64 parallel removes", () => {
  const RACERS = 64;

  async function play(rewrite: Rewrite) {
    const context = contextWith(rewrite);
    const { id: organizationId, workspaces } = await organizationWith(1);
    const request = { workspaceId: workspaces[0] ?? "", resourceId: f.peers.addTeam(organizationId) };
    const assigned = await Promise.all(
      Array.from({ length: RACERS }, () => assignResource(context, system, teams, request)),
    );
    const rows = await count("assignments where resource_id = $1", [request.resourceId]);
    const removed = await race(
      Array.from({ length: RACERS }, () => () => removeResource(context, system, teams, request)),
    );
    return { rows, bodies: new Set(assigned.map((row) => JSON.stringify(row))).size, removed };
  }

  test("make one row and equal bodies; one removes, the others find nothing", async () => {
    const { rows, bodies, removed } = await play(unchanged);
    expect([rows, bodies]).toEqual([1, 1]);
    expect(removed.filter((result) => result === "done")).toHaveLength(1);
    expect(removed.filter((result) => result === Reason.TEAM_ASSIGNMENT_NOT_FOUND)).toHaveLength(RACERS - 1);
  });

  test("control: without the unique key they make several", async () => {
    await f.db.query("alter table assignments drop constraint assignments_pair");
    const { rows } = await play((text) => text.replace("on conflict on constraint assignments_pair do nothing ", ""));
    expect(rows).toBeGreaterThan(1);
    await f.db.query("delete from assignments");
    await f.db.query(
      "alter table assignments add constraint assignments_pair unique (workspace_id, kind, resource_id)",
    );
  });
});

describe("a new organization, raced by 50 lists and the event", () => {
  async function play(rewrite: Rewrite): Promise<number> {
    const context = contextWith(rewrite);
    const orgId = newId<OrganizationId>();
    f.peers.organizations.set(orgId, f.peers.users.admin);
    const lists = Array.from(
      { length: 50 },
      () => () => listWorkspaces(context, system, create(ListWorkspacesRequestSchema, { orgId })),
    );
    const event = () => context.db.withTransaction((tx) => welcomeOrganization(tx, orgId, f.peers.users.admin));
    expect(new Set(await race([...lists, event]))).toEqual(new Set(["done"]));
    return count("workspaces where organization_id = $1 and name = 'My Workspace'", [orgId]);
  }

  test("gets exactly one My Workspace", async () => {
    expect(await play(unchanged)).toBe(1);
  });

  test("control: without the unique key it gets several", async () => {
    await f.db.query("drop index workspaces_initial");
    const blind: Rewrite = (text) => text.replace("on conflict (organization_id) where initial do nothing ", "");
    expect(await play(blind)).toBeGreaterThan(1);
  });
});
