import type { Tx } from "@cloud/postgres";
import { type ConnectionId, type EnvironmentId, type Id, newId, type OrganizationId } from "@cloud/rpc";
import { refusal } from "@cloud/rpc/testing";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { insertLink } from "../src/assignments/assignment-sql.ts";
import { selectConnection, selectConnectionForShare } from "../src/connections/connection-sql.ts";
import { selectEnvironment, selectEnvironmentForShare } from "../src/environments/environment-sql.ts";
import { type Fixture, startFixture } from "./fixture.ts";
import { interleave, queueAtLinks } from "./interleave.ts";
import { danglingLinks, eventsAbout, newConnection, newEnvironment } from "./records.ts";

let fixture: Fixture;
let home: OrganizationId;
beforeAll(async () => {
  fixture = await startFixture();
  home = fixture.identity.home;
});
afterAll(() => fixture.stop());

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
    await interleave(fixture.db, assign, () => fixture.admin.connections.deleteConnection({ id: pair.connectionId }));
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
    await interleave(fixture.db, assign, () => fixture.admin.environments.deleteEnvironment({ id: pair.id }));
    expect(await danglingLinks(fixture)).toBe(dangling);
    await cleanUp();
  });

  test.each([
    ["connection", "404 CONNECTION_NOT_FOUND: connection not found"],
    ["environment", "404 ENVIRONMENT_NOT_FOUND: environment not found"],
  ])("the %s, whoever comes first", async (end, notFound) => {
    const { environments, connections } = fixture.admin;
    for (const assignFirst of [true, false]) {
      const pair = await newPair();
      const assign = () => environments.assignConnection(pair);
      const remove = () =>
        end === "environment"
          ? environments.deleteEnvironment({ id: pair.id })
          : connections.deleteConnection({ id: pair.connectionId });
      const calls = assignFirst ? [assign, remove] : [remove, assign];
      const outcomes = await queueAtLinks(fixture.db, ...calls);
      expect(outcomes).toEqual(["not refused", assignFirst ? "not refused" : notFound]);
      expect(await danglingLinks(fixture)).toBe(0);
    }
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
    await interleave(fixture.db, insertUnlessThere, rival);
    expect((await fixture.db.query("select from links_without_key")).rows).toHaveLength(2);
    await fixture.db.query("drop table links_without_key");
  });
});
