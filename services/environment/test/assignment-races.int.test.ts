import { create } from "@bufbuild/protobuf";
import { refusal, systemCaller } from "@cloud/access/testing";
import { type EnvironmentId, type Id, newId, type OrganizationId } from "@cloud/access/values";
import { sql, statement, type Tx } from "@cloud/postgres";
import {
  AssignConnectionRequestSchema,
  RemoveConnectionRequestSchema,
} from "@cloud/proto/environment/v1/environment_service_pb";
import { interleaveBefore } from "@cloud/service/testing/races";
import { execute } from "@cloud/testkit";
import type { Rewrite } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { assignConnection } from "../src/assignments/assign-connection.ts";
import { removeConnection } from "../src/assignments/remove-connection.ts";
import { selectConnection, selectConnectionForShare } from "../src/connections/sql.ts";
import { selectEnvironment, selectEnvironmentForShare } from "../src/environments/sql.ts";
import type { ConnectionId } from "../src/ids.ts";
import { insertLink } from "../src/links/sql.ts";
import { type Fixture, startFixture } from "./fixture.ts";
import { interleave, queueAtLinks } from "./interleave.ts";
import { raceAssignsAgainstRemovals } from "./races/assign-against-remove.ts";
import { openRaceContexts } from "./races/open-race-contexts.ts";
import { danglingLinks, eventsAbout, newConnection, newEnvironment } from "./records.ts";

let fixture: Fixture;
let home: OrganizationId;
beforeAll(async () => {
  fixture = await startFixture();
  home = fixture.identity.home;
});
afterAll(() => fixture.stop());

/** Holds all permissions. */
const system = systemCaller();

const newPair = async () => ({
  id: (await newEnvironment(fixture, home)).id as EnvironmentId,
  connectionId: (await newConnection(fixture, home)).id as ConnectionId,
});

describe("assigning concurrently with the deletion of an end", () => {
  const cleanUp = () =>
    execute(
      fixture.db,
      statement`
      delete
      from environment_connections`,
    );

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
  ])("the %s, in either order of the requests", async (end, notFound) => {
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

  test("many concurrent assigns, removals and deletions leave no dangling link and cause no unexpected error", async () => {
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

describe("8 clients that assign a pair while 8 others remove it", () => {
  const rounds = 8;

  test("get a live assignment each time", async () => {
    const rewrite: Rewrite = (text) => text;
    const outcomes = await raceAssignsAgainstRemovals(fixture, await newPair(), { rounds, rewrite });
    expect(outcomes).toEqual({ "not refused": 16 * rounds });
  });

  /** Assigns a pair that is linked already, and removes it between the insert and the select of the assign. */
  const removeBetween = async (rewrite: Rewrite) => {
    await using resources = new AsyncDisposableStack();
    const contexts = openRaceContexts(fixture);
    resources.defer(() => contexts.close());
    const pair = await newPair();
    await fixture.admin.environments.assignConnection(pair);
    const context = contexts.contextWith(rewrite);
    const isSelect = (text: string) =>
      text.trim().startsWith("select") && text.includes("from environment_connections");
    return await interleaveBefore(
      context.db,
      isSelect,
      (db) => refusal(assignConnection({ ...context, db }, system, create(AssignConnectionRequestSchema, pair))),
      () => refusal(removeConnection(context, system, create(RemoveConnectionRequestSchema, pair))),
    );
  };

  test("get one that another removes once they have it", async () => {
    expect(await removeBetween((text) => text)).toEqual(["not refused", "not refused"]);
  });

  test("control: with a removal that only takes a share lock, it is gone before they have it", async () => {
    const [assigned, removed] = await removeBetween((text) => text.replace(" for update", " for share"));
    expect([assigned, removed]).toEqual([expect.not.stringMatching("^not refused"), "not refused"]);
  });
});

describe("assigning the same pair twice", () => {
  test("64 concurrent requests create one link, receive equal replies and publish one event", async () => {
    const pair = await newPair();
    const replies = await Promise.all(
      Array.from({ length: 64 }, () => fixture.admin.environments.assignConnection(pair)),
    );
    expect(
      new Set(
        replies.map((reply) => JSON.stringify(reply.assignment, (_k, v) => (typeof v === "bigint" ? String(v) : v))),
      ),
    ).toHaveProperty("size", 1);
    const { rows } = await fixture.db.read(
      statement`
        select
        from environment_connections
        where environment_id = $1`,
      [pair.id],
    );
    expect(rows).toHaveLength(1);
    expect(await eventsAbout(fixture, pair.id)).toEqual(["environment.v1.ConnectionAssigned"]);
  });

  test("control: select, then insert, without the unique key creates two links", async () => {
    const pair = await newPair();
    const table = sql`links_without_key`;
    await execute(
      fixture.ownerDb,
      statement`create table links_without_key (like environment_connections including defaults)`,
    );
    const insertUnlessThere = async (tx: Tx, middle: () => Promise<void>) => {
      const found = await tx.query(
        statement`
          select
          from ${table}
          where environment_id = $1`,
        [pair.id],
      );
      await middle();
      if (found.rowCount === 0) {
        const values = [newId<Id>(), pair.id, pair.connectionId];
        await tx.query(
          statement`
            insert into ${table} (id, environment_id, connection_id)
            values ($1, $2, $3)`,
          values,
        );
      }
    };
    const rival = () => fixture.ownerDb.transaction((tx) => insertUnlessThere(tx, async () => undefined));
    await interleave(fixture.ownerDb, insertUnlessThere, rival);
    expect(
      (
        await fixture.ownerDb.read(statement`
          select
          from links_without_key`)
      ).rows,
    ).toHaveLength(2);
    await execute(fixture.ownerDb, statement`drop table links_without_key`);
  });
});
