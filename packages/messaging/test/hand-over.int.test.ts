import { sql } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { appendEvent } from "../src/index.ts";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await createStage();
});
afterEach(() => stage.close());

/** Starts a relay and a consumer, and waits until the relay is ready: it has published an event. */
async function start() {
  const { nats, transport } = await stage.startNats();
  stage.startRelay(transport);
  stage.startConsumer(transport);
  await stage.append(["first"]);
  await stage.settled(["first"]);
  return { nats };
}

/**
 * Records each change of an outbox row: a claim is an update, and the mark that the event is published is another. Returns
 * the number of updates of each event that was handed over: its row has been inserted with a lease.
 */
async function recordUpdates(): Promise<() => Promise<number[]>> {
  await stage.db.query(sql`create table changes (id uuid, is_update boolean, leased_until timestamptz)`);
  await stage.db.query(sql`
    create function record_change() returns trigger language plpgsql as $$
      begin
        insert into changes values (new.id, tg_op = 'UPDATE', new.claimed_until);
        return null;
      end
    $$`);
  await stage.db.query(sql`
    create trigger record_change after insert or update on outbox for each row execute function record_change()`);
  const select = sql`
    select (count(*) filter (where is_update))::integer as updates
    from changes
    group by id
    having bool_or(not is_update and leased_until is not null)`;
  return async () => (await stage.db.query<{ updates: number }>(select)).rows.map(({ updates }) => updates);
}

test("an event is published from memory, without a claim", async () => {
  await start();
  const updates = await recordUpdates();
  // One that is committed while the relay compares the outbox with the stream, once a second, is not handed over.
  for (let event = 0; (await updates()).length < 10; event++) {
    await stage.append([`single-${event}`]);
    await stage.settled([`single-${event}`]);
  }
  expect(await updates()).toEqual(Array(10).fill(1));
});

test("control: one that is not handed over is claimed", async () => {
  await start();
  const updates = await recordUpdates();
  await stage.db.query(sql`
    insert into outbox (subject, type, payload, claimed_until)
    select subject, type, '\x0a046c656674', now()
    from outbox
    limit 1`);
  await stage.settled(["left"]);
  expect(await updates()).toEqual([2]);
});

test("more events than a batch holds are claimed, and published once", async () => {
  await start();
  const names = eventNames(600);
  await stage.appendTogether(names);
  expect(await stage.settled(names)).toEqual({ first: 1, ...appliedOnce(names) });
  expect(await stage.metric("messaging_published_total")).toBe(601);
});

test("an event of a transaction that rolls back is not published", async () => {
  await start();
  const refused = stage.db.withTransaction(async (tx) => {
    appendEvent(tx, EnvironmentDeletedSchema, { environmentId: "never" });
    throw new Error("changed its mind");
  });
  await expect(refused).rejects.toThrow("changed its mind");
  await stage.append(["after"]);
  expect(await stage.settled(["after"])).toEqual({ first: 1, after: 1 });
  expect(await stage.metric("messaging_published_total")).toBe(2);
});

test("an event whose transaction commits after NATS went away is published when NATS is back", async () => {
  const { nats } = await start();
  await stage.db.withTransaction(async (tx) => {
    appendEvent(tx, EnvironmentDeletedSchema, { environmentId: "meanwhile" });
    await nats.kill();
  });
  await nats.start();
  expect(await stage.settled(["meanwhile"])).toEqual({ first: 1, meanwhile: 1 });
});

test("an event is published when the lease of a process that ended expires", async () => {
  await start();
  await stage.db.query(sql`
    insert into outbox (subject, type, payload, claimed_until)
    select subject, type, '\x0a046c656674', now() + interval '1 second'
    from outbox
    limit 1`);
  expect(await stage.settled(["left"])).toEqual({ first: 1, left: 1 });
});
