import { appendEvent } from "@cloud/messaging";
import type { Tx } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { type ConnectionId, type EnvironmentId, type Id, newId, type OrganizationId } from "@cloud/rpc";
import { waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { insertLink } from "../src/assignments/assignment-sql.ts";
import { selectConnection, selectConnectionForShare } from "../src/connections/connection-sql.ts";
import { endOrganization } from "../src/consumers/organization-deleted.ts";
import {
  insertEnvironment,
  selectEnvironment,
  selectEnvironmentForShare,
  selectEnvironmentForUpdate,
  softDeleteEnvironment,
} from "../src/environments/environment-sql.ts";
import { insertOrganizationIfMissing, selectLiveOrganizationForShare } from "../src/organizations/organization-sql.ts";
import { type Fixture, refusal, startFixture } from "./fixture.ts";
import { danglingLinks, eventsAbout, newConnection, newEnvironment, newPlatformEnvironment } from "./records.ts";

let fixture: Fixture;
let home: OrganizationId;
beforeAll(async () => {
  fixture = await startFixture();
  home = fixture.identity.home;
});
afterAll(() => fixture.stop());

/**
 * Runs `first` up to its middle in a transaction, lets `rival` run until it ends or waits for a lock, then lets
 * `first` finish: the one interleaving in which a missing lock shows every time.
 */
async function interleave(
  first: (tx: Tx, middle: () => Promise<void>) => Promise<unknown>,
  rival: () => Promise<unknown>,
) {
  const [reached, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const finishing = fixture.db.withTransaction((tx) =>
    first(tx, () => {
      reached.resolve();
      return proceed.promise;
    }),
  );
  await reached.promise;
  let ended = false;
  const rivalling = rival().finally(() => {
    ended = true;
  });
  await waitFor(async () => (ended || (await someoneWaits()) ? true : undefined), { deadlineMs: 5_000 });
  proceed.resolve();
  await Promise.all([finishing, rivalling]);
}

async function someoneWaits(): Promise<boolean> {
  const { rows } = await fixture.db.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.length > 0;
}

const newPair = async () => ({
  id: (await newEnvironment(fixture, home)).id as EnvironmentId,
  connectionId: (await newConnection(fixture, home)).id as ConnectionId,
});

describe("assigning beside the deletion of an end", () => {
  const cleanUp = () => fixture.db.query("delete from environment_connections");

  test.each([
    ["the share lock", selectConnectionForShare, 0],
    ["control: no lock", selectConnection, 1],
  ] as const)("connection, %s", async (_case, select, dangling) => {
    const pair = await newPair();
    const assign = async (tx: Tx, middle: () => Promise<void>) => {
      await select(tx, pair.connectionId);
      await middle();
      await insertLink(tx, newId<Id>(), pair.id, pair.connectionId);
    };
    await interleave(assign, () => fixture.admin.connections.deleteConnection({ id: pair.connectionId }));
    expect(await danglingLinks(fixture)).toBe(dangling);
    await cleanUp();
  });

  test.each([
    ["the share lock", selectEnvironmentForShare, 0],
    ["control: no lock", selectEnvironment, 1],
  ] as const)("environment, %s", async (_case, select, dangling) => {
    const pair = await newPair();
    const assign = async (tx: Tx, middle: () => Promise<void>) => {
      await select(tx, pair.id);
      await middle();
      await insertLink(tx, newId<Id>(), pair.id, pair.connectionId);
    };
    await interleave(assign, () => fixture.admin.environments.deleteEnvironment({ id: pair.id }));
    expect(await danglingLinks(fixture)).toBe(dangling);
    await cleanUp();
  });

  test("a storm of assigns, removals and deletions leaves no link without an end and fails nobody", async () => {
    const allowed = /^(not refused|404 (ENVIRONMENT|CONNECTION|ENVIRONMENT_TO_DELETE|CONNECTION_ASSIGNMENT)_NOT_FOUND)/;
    const { environments, connections } = fixture.admin;
    for (let round = 0; round < 15; round++) {
      const pairs = await Promise.all(Array.from({ length: 3 }, newPair));
      const everyPair = pairs.flatMap(({ id }) => pairs.map(({ connectionId }) => ({ id, connectionId })));
      const calls = [
        ...everyPair.map((pair) => environments.assignConnection(pair)),
        ...everyPair.map((pair) => environments.assignConnection(pair)),
        ...pairs.map((pair) => environments.removeConnection(pair)),
        ...pairs.map(({ connectionId }) => connections.deleteConnection({ id: connectionId })),
        ...pairs.map(({ id }) => environments.deleteEnvironment({ id })),
      ];
      for (const outcome of await Promise.all(calls.map(refusal))) {
        expect(outcome).toMatch(allowed);
      }
      expect(await danglingLinks(fixture)).toBe(0);
    }
  });
});

describe("assigning the same pair twice", () => {
  test("64 at once make one link, 64 equal answers and one event", async () => {
    const pair = await newPair();
    const replies = await Promise.all(
      Array.from({ length: 64 }, () => fixture.admin.environments.assignConnection(pair)),
    );
    expect(
      new Set(
        replies.map((reply) => JSON.stringify(reply.assignment, (_k, v) => (typeof v === "bigint" ? String(v) : v))),
      ),
    ).toHaveProperty("size", 1);
    const { rows } = await fixture.db.query("select from environment_connections where environment_id = $1", [pair.id]);
    expect(rows).toHaveLength(1);
    expect(await eventsAbout(fixture, pair.id)).toEqual(["environment.v1.ConnectionAssigned"]);
  });

  test("control: select, then insert, without the unique key makes two", async () => {
    const pair = await newPair();
    const table = "links_without_key";
    await fixture.db.query("create table links_without_key (like environment_connections including defaults)");
    const insertUnlessThere = async (tx: Tx, middle: () => Promise<void>) => {
      const found = await tx.query("select from " + table + " where environment_id = $1", [pair.id]);
      await middle();
      if (found.rowCount === 0) {
        const values = [newId<Id>(), pair.id, pair.connectionId];
        await tx.query("insert into " + table + " (id, environment_id, connection_id) values ($1, $2, $3)", values);
      }
    };
    const rival = () => fixture.db.withTransaction((tx) => insertUnlessThere(tx, async () => undefined));
    await interleave(insertUnlessThere, rival);
    expect((await fixture.db.query("select from links_without_key")).rows).toHaveLength(2);
    await fixture.db.query("drop table links_without_key");
  });
});

describe("deleting one environment twice", () => {
  test("one wins, the others find nothing, and one event tells of it", async () => {
    const { id } = await newEnvironment(fixture, home);
    const calls = Array.from({ length: 8 }, () => refusal(fixture.admin.environments.deleteEnvironment({ id })));
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter((outcome) => outcome === "not refused")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome.startsWith("404 ENVIRONMENT_TO_DELETE_NOT_FOUND"))).toHaveLength(7);
    expect(await eventsAbout(fixture, id)).toEqual(["environment.v1.EnvironmentDeleted"]);
  });

  test.each([
    ["the row lock", selectEnvironmentForUpdate, 1],
    ["control: no lock", selectEnvironment, 2],
  ] as const)("%s", async (_case, select, events) => {
    const environmentId = (await newEnvironment(fixture, home)).id as EnvironmentId;
    const remove = async (tx: Tx, middle: () => Promise<void>) => {
      const environment = await select(tx, environmentId);
      await middle();
      if (environment !== undefined) {
        await softDeleteEnvironment(tx, environmentId);
        await appendEvent(tx, EnvironmentDeletedSchema, { environmentId });
      }
    };
    await interleave(remove, () => fixture.db.withTransaction((tx) => remove(tx, async () => undefined)));
    expect(await eventsAbout(fixture, environmentId)).toHaveLength(events);
  });
});

describe("creating beside the deletion of the organization", () => {
  const unlocked = async (tx: Tx, id: OrganizationId) => tx.query("select from organizations where id = $1", [id]);

  test.each([
    ["the share lock", selectLiveOrganizationForShare, 0],
    ["control: no lock", unlocked, 1],
  ] as const)("%s", async (_case, select, survivors) => {
    const organizationId = newId<OrganizationId>();
    fixture.identity.found(organizationId);
    await newPlatformEnvironment(fixture, organizationId);
    const create = async (tx: Tx, middle: () => Promise<void>) => {
      await insertOrganizationIfMissing(tx, organizationId);
      await select(tx, organizationId);
      await middle();
      const id = newId<EnvironmentId>();
      await insertEnvironment(tx, { id, organizationId, name: "", description: "", platformProvisioned: false });
    };
    await interleave(create, () => fixture.db.withTransaction((tx) => endOrganization(tx, organizationId, "")));
    const live = "select from environments where organization_id = $1 and deleted_at is null";
    expect((await fixture.db.query(live, [organizationId])).rows).toHaveLength(survivors);
  });
});
