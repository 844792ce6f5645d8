import { statement } from "@cloud/postgres";
import { execute, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";
import { leaseLength, publicationOrder } from "./removed-protections.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await createStage();
});

afterEach(() => stage.close());

const names = eventNames(20);

/** Moves all that Postgres wrote an hour into the future, as if its clock had been stepped back by an hour. */
const stepClockBack = statement`
  update outbox
  set created_at = created_at + interval '1 hour',
    claimed_until = claimed_until + interval '1 hour',
    published_at = published_at + interval '1 hour'`;

describe("after a step back of the clock by an hour, events that a relay had leased when it died", () => {
  const leased = async () => {
    const started = await stage.startNats();
    await stage.append(names);
    await execute(
      stage.db,
      statement`
      update outbox
      set claimed_until = now() + interval '10 seconds'`,
    );
    await execute(stage.db, stepClockBack);
    return started;
  };

  test("are published immediately, and their age is never negative", async () => {
    const { nats, transport } = await leased();
    await nats.kill();
    stage.startRelay(transport);
    await stage.metricReaches("messaging_outbox_backlog_rows", 20);
    expect(await stage.metric("messaging_outbox_oldest_seconds")).toBe(0);
    await nats.start();
    stage.startConsumer(transport);
    expect(await stage.settled(names)).toEqual(appliedOnce(names));
  });

  test("control: with leases that last until the clock reaches their end, they wait for the hour", async () => {
    const { nats, transport } = await leased();
    stage.startRelayWithout(nats.url, leaseLength);
    stage.startConsumer(transport);
    await stage.append(["last"]);
    const waiting = statement`
      select
      from outbox
      where published_at is null and claimed_until > now() + interval '59 minutes'`;
    await waitFor(async () => ("last" in (await stage.counts()) ? true : undefined), { deadlineMs: 10_000 });
    expect((await stage.db.read(waiting)).rowCount).toBe(20);
  });

  test("the lease of a live relay is respected, even one that ends 11 seconds from now", async () => {
    const { transport } = await stage.startNats();
    await stage.append(["leased", "free"]);
    await execute(
      stage.db,
      statement`
        update outbox
        set claimed_until = now() + interval '10.9 seconds'
        where position('leased'::bytea in payload) > 0`,
    );
    stage.startRelay(transport);
    stage.startConsumer(transport);
    await waitFor(async () => ("free" in (await stage.counts()) ? true : undefined), { deadlineMs: 10_000 });
    expect(await stage.counts()).toEqual({ free: 1 });
  });
});

describe("a stream that is wiped right after the clock stepped back by an hour", () => {
  const wiped = async () => {
    const { nats, transport } = await stage.startNats();
    const relay = stage.startRelay(transport);
    await stage.append(names);
    await stage.settled([]);
    await relay.stop();
    await execute(stage.db, stepClockBack);
    await nats.kill();
    await nats.wipe();
    await nats.start();
    stage.startConsumer(transport);
    return { nats, transport };
  };

  test("is filled again", async () => {
    const { transport } = await wiped();
    stage.startRelay(transport);
    expect(await stage.settled(names)).toEqual(appliedOnce(names));
  });

  test("control: if the clock decides what was published before, it stays empty", async () => {
    const { nats } = await wiped();
    stage.startRelayWithout(nats.url, publicationOrder);
    await stage.append(["last"]);
    expect(await stage.settled(["last"])).toEqual({ last: 1 });
  });
});

test.each(["1970-01-01T00:00:00Z", "2999-01-01T00:00:00Z"])(
  "events of another incarnation of the stream, created at %s by the server's clock, are published again",
  async (createdAt) => {
    const { nats, transport } = await stage.startNats();
    const relay = stage.startRelay(transport);
    await stage.append(names);
    await stage.settled([]);
    await relay.stop();
    await execute(
      stage.db,
      statement`
        update outbox
        set stream_created_at = $1`,
      [createdAt],
    );
    await nats.kill();
    await nats.wipe();
    await nats.start();
    stage.startRelay(transport);
    stage.startConsumer(transport);
    expect(await stage.settled(names)).toEqual(appliedOnce(names));
  },
);
