import { statement } from "@cloud/postgres";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createPublicationRecord } from "../src/relay/publish-batch.ts";
import { createStage, type Stage } from "./messaging-stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await createStage();
});
afterEach(() => stage.close());

/** Returns the ids of three events in the outbox. */
async function appendThree(): Promise<[string, string, string]> {
  await stage.append(["a", "b", "c"]);
  const { rows } = await stage.db.read(statement<{ id: string }>`
    select id
    from outbox
    order by id`);
  return rows.map(({ id }) => id) as [string, string, string];
}

/** Returns the streams and sequences of the published events, by the statement that marked them. */
async function marks(): Promise<string[]> {
  const { rows } = await stage.db.read(statement<{ mark: string }>`
    select string_agg(stream_created_at || ' ' || stream_sequence, ', ' order by stream_sequence) as mark
    from outbox
    where published_at is not null
    group by published_at
    order by published_at`);
  return rows.map(({ mark }) => mark);
}

test("events that are published while a statement runs share the next one", async () => {
  const [a, b, c] = await appendThree();
  const record = createPublicationRecord(stage.db);
  const first = record("2026", [{ id: a, sequence: 1 }]);
  await Promise.resolve(); // the statement has been sent
  await Promise.all([first, record("2026", [{ id: b, sequence: 2 }]), record("2026", [{ id: c, sequence: 3 }])]);
  expect(await marks()).toEqual(["2026 1", "2026 2, 2026 3"]);
});

test("events of different streams are marked apart, and a failure is that of its own statement", async () => {
  const [a, b, c] = await appendThree();
  const record = createPublicationRecord(stage.db);
  const outcomes = await Promise.allSettled([
    record("2026", [{ id: a, sequence: 1 }]),
    record("2027", [{ id: "no id", sequence: 2 }]),
    record("2027", [{ id: b, sequence: 2 }]),
    record("2028", [{ id: c, sequence: 3 }]),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect(await marks()).toEqual(["2026 1", "2028 3"]);
});
