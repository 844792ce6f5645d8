import { type SqlText, sql } from "@cloud/postgres";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { purge } from "../src/relay/purge.ts";
import { createStage, type Stage } from "./messaging-stage.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await createStage();
});

afterEach(() => stage.close());

const insertPublished = sql`
  insert into outbox (subject, type, payload, published_at)
  select $1, '', '', now() - $2::interval
  from generate_series(1, $3::integer)`;
const insertReceived = sql`
  insert into inbox (consumer, event_id, received_at)
  select $1, n, now() - $2::interval
  from generate_series(1, $3::integer) n`;

const remaining = async (text: SqlText) =>
  Object.fromEntries(
    (await stage.db.query<{ what: string; count: number }>(text)).rows.map((row) => [row.what, row.count]),
  );

test("published events are deleted after 7 days and received ones after 14, in steps of 1000; younger and unpublished ones stay", async () => {
  await stage.db.query(insertPublished, ["old", "7 days 1 minute", 2300]);
  await stage.db.query(insertPublished, ["young", "6 days 23 hours", 5]);
  await stage.db.query(
    sql`
      insert into outbox (subject, type, payload, created_at)
      values ('unpublished', '', '', now() - interval '1 year')`,
  );
  await stage.db.query(insertReceived, ["old", "14 days 1 minute", 1000]);
  await stage.db.query(insertReceived, ["young", "13 days 23 hours", 5]);
  const deleted: (number | null)[] = [];
  const query: typeof stage.db.query = async (text, params) => {
    const result = await stage.db.query(text, params);
    deleted.push(result.rowCount);
    return result as never;
  };
  await purge({ ...stage.db, query });
  expect(deleted).toEqual([1000, 1000, 300, 1000, 0]);
  expect(await remaining(sql`select subject as what, count(*)::integer from outbox group by 1`)).toEqual({
    young: 5,
    unpublished: 1,
  });
  expect(await remaining(sql`select consumer as what, count(*)::integer from inbox group by 1`)).toEqual({ young: 5 });
});
