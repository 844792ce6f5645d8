import { type Id, newId } from "@cloud/access/values";
import { sql, statement, type Tx } from "@cloud/postgres";
import { interleave } from "@cloud/service/testing/races";
import { execute } from "@cloud/testkit";
import { raceSize } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "../fixture.ts";
import { eventsAbout } from "../records.ts";
import { newPair } from "./new-pair.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe("assigning the same pair twice", () => {
  test("64 concurrent requests create one link, receive equal replies and publish one event", async () => {
    for (let round = 0; round < raceSize({ gate: 1, chaos: 10, long: 100 }); round++) {
      const pair = await newPair(fixture);
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
    }
  });

  test("control: select, then insert, without the unique key creates two links", async () => {
    const pair = await newPair(fixture);
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
