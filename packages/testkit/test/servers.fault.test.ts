import { afterEach, describe, expect, test } from "@jest/globals";
import { JSONCodec } from "nats";
import pg from "pg";
import { startDuplicator } from "../src/faults/duplicate-messages.ts";
import { startRestartableNats } from "../src/faults/restartable-nats.ts";
import { startRestartablePostgres } from "../src/faults/restartable-postgres.ts";
import { createRandom } from "../src/random.ts";
import { connectToNats } from "../src/start-test-nats.ts";
import { waitFor } from "../src/test-telemetry.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});
const owned = async <T extends { stop(): Promise<unknown> }>(starting: Promise<T>) => {
  const started = await starting;
  closers.push(started.stop);
  return started;
};

async function query(url: string, text: string, limitMs = 5000): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: limitMs });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

describe("a restartable Postgres", () => {
  test("keeps what was committed through a crash, on the same port", async () => {
    const postgres = await owned(startRestartablePostgres());
    const url = postgres.superuserUrl;
    await query(url, "create table notes as select 1 as n");
    await postgres.kill();
    await expect(query(url, "select 1")).rejects.toThrow("ECONNREFUSED");
    await postgres.start();
    await query(url, "insert into notes values (2)");
    await postgres.stopImmediately();
    await postgres.start();
    expect(await query(url, "select n from notes order by n")).toEqual([{ n: 1 }, { n: 2 }]);
  }, 30_000);

  test("paused, accepts connections and does not respond", async () => {
    const postgres = await owned(startRestartablePostgres());
    postgres.pause();
    await expect(query(postgres.superuserUrl, "select 1", 200)).rejects.toThrow(/timeout/);
    postgres.resume();
    expect(await query(postgres.superuserUrl, "select 1 as n")).toEqual([{ n: 1 }]);
  }, 30_000);
});

describe("a restartable NATS", () => {
  const messages = async (url: string) => {
    const connection = await connectToNats(url);
    try {
      const jsm = await connection.jetstreamManager();
      return (await jsm.streams.info("S")).state.messages;
    } finally {
      await connection.close();
    }
  };
  const publish = async (url: string, count: number) => {
    const connection = await connectToNats(url);
    await (await connection.jetstreamManager()).streams.add({ name: "S", subjects: ["s.>"] });
    for (let n = 0; n < count; n++) await connection.jetstream().publish("s.a", JSONCodec().encode({ n }));
    await connection.close();
  };

  test("keeps its store through a crash, loses it when wiped, and gets a kept one back", async () => {
    const nats = await owned(startRestartableNats());
    await publish(nats.url, 10);
    await nats.kill();
    const putBack = await nats.backUpStore();
    await nats.start();
    expect(await messages(nats.url)).toBe(10);
    await publish(nats.url, 5);
    await nats.kill();
    await putBack();
    await nats.start();
    expect(await messages(nats.url)).toBe(10);
    await nats.kill();
    await nats.wipe();
    await nats.start();
    await expect(messages(nats.url)).rejects.toThrow("stream not found");
  }, 30_000);

  test("the duplicator stores each message again, shuffled, and never a copy of a copy", async () => {
    const nats = await owned(startRestartableNats());
    await publish(nats.url, 0);
    const random = createRandom(7);
    const options = { natsUrl: nats.url, subjects: "s.>", copies: 2, window: 20, longestMs: 50, random };
    const duplicator = await startDuplicator(options);
    await publish(nats.url, 50);
    await waitFor(() => (duplicator.copies() === 100 ? true : undefined), { deadlineMs: 30_000 });
    await duplicator.stop();
    expect(await messages(nats.url)).toBe(150);
  }, 30_000);
});
