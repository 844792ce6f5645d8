import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { create } from "@bufbuild/protobuf";
import { codeOf, reasonOf } from "@cloud/access/errors";
import { type Database, DatabaseUnavailable, openDatabase, statement, type Tx } from "@cloud/postgres";
import { migrate, purgeTable } from "@cloud/postgres/migrations";
import { CreateTokenRequestSchema, TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { createTestDatabase, execute, testTelemetry, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createOnce, type IdempotentCall } from "../src/create-once.ts";
import { purgedReplies } from "../src/idempotent-reply-sql.ts";
import { migrationsOf } from "../src/service-config.ts";

const resources = new AsyncDisposableStack();
const { log } = testTelemetry();
let db: Database;
/** Another replica, whose statements may wait for 200 ms. */
let hasty: Database;

beforeAll(async () => {
  const database = await createTestDatabase("test");
  resources.defer(() => database.drop());
  const migrations = await mkdtemp(path.join(tmpdir(), "no-migrations-"));
  resources.defer(() => rm(migrations, { recursive: true }));
  const sources = migrationsOf({ name: "test", migrations, appendOnly: [], logs: [], readOnly: [] });
  await migrate({ url: database.ownerUrl, schema: "test", sources, log });
  const options = { url: database.ownerUrl, schema: "test", applicationName: "test", log };
  // 32 that connect at once take longer than a caller would wait, on a busy machine.
  db = openDatabase({ ...options, maxConnections: 40, connectTimeoutMs: 20_000, statementTimeoutMs: 20_000 });
  resources.defer(() => db.close());
  hasty = openDatabase({ ...options, statementTimeoutMs: 2_000 });
  resources.defer(() => hasty.close());
  await execute(db, statement`create table notes (name text)`);
});
afterAll(() => resources.disposeAsync());
beforeEach(async () => {
  await execute(db, statement`delete from notes`);
  await execute(db, statement`delete from idempotent_replies`);
});

const method = TokenService.method.createToken;
let replays = 0;
const call = (changed: Partial<IdempotentCall> = {}): IdempotentCall => ({
  key: "a key",
  method,
  caller: "a caller",
  request: create(CreateTokenRequestSchema, { name: "a name" }),
  onReplay: () => void replays++,
  ...changed,
});
let secrets = 0;
const note = async (tx: Tx) => {
  await tx.query(statement`insert into notes values ('note')`);
  return { token: { id: "an id", name: "a name" }, secret: `secret ${++secrets}` };
};
const once = (idempotency: IdempotentCall | undefined, work = note, on = db) =>
  createOnce({ db: on, idempotency }, work);
const notes = async () => (await db.read(statement`select from notes`)).rowCount;
const stored = async () => (await db.read(statement`select from idempotent_replies`)).rowCount;
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    (error: unknown) => codeOf(reasonOf(error)),
  );

test("without a key nothing is stored, and each call creates", async () => {
  const replies = [await once(undefined), await once(undefined)];
  expect(replies[0]?.secret).not.toBe(replies[1]?.secret);
  expect([await notes(), await stored()]).toEqual([2, 0]);
});

test("a retry gets the first reply, and creates nothing", async () => {
  const before = replays;
  const first = await once(call());
  expect(replays).toBe(before);
  const second = await once(call(), note, hasty);
  expect(replays).toBe(before + 1);
  expect(second).toMatchObject(first);
  expect([await notes(), await stored()]).toEqual([1, 1]);
});

test("of 32 at once, one creates, and all get its reply", async () => {
  const replies = await Promise.all(Array.from({ length: 32 }, () => once(call())));
  expect(new Set(replies.map(({ secret }) => secret)).size).toBe(1);
  expect([await notes(), await stored()]).toEqual([1, 1]);
});

test("control: 32 at once without a key create 32", async () => {
  await Promise.all(Array.from({ length: 32 }, () => once(undefined)));
  expect(await notes()).toBe(32);
});

test("a reply that was changed by a later transaction of the caller stays what it was", async () => {
  const first = await once(call());
  await execute(db, statement`update notes set name = 'changed'`);
  expect(await once(call())).toMatchObject(first);
});

test.each<[what: string, changed: Partial<IdempotentCall>]>([
  ["another caller", { caller: "another" }],
  ["another key", { key: "another" }],
  ["another RPC", { method: { ...method, name: "CreateOther" } as typeof method }],
])("%s creates by itself", async (_what, changed) => {
  await once(call());
  await once(call(changed));
  expect([await notes(), await stored()]).toEqual([2, 2]);
});

test("another request with the key is refused, and the stored reply stays", async () => {
  const first = await once(call());
  const other = call({ request: create(CreateTokenRequestSchema, { name: "another name" }) });
  expect(await outcome(once(other))).toBe("IDEMPOTENCY_KEY_REUSED");
  expect(await once(call())).toMatchObject(first);
  expect([await notes(), await stored()]).toEqual([1, 1]);
});

test("two requests with one key at once: one is refused", async () => {
  const other = call({ request: create(CreateTokenRequestSchema, { name: "another name" }) });
  const outcomes = await Promise.all([call(), other].map((one) => outcome(once(one))));
  expect(outcomes.toSorted()).toEqual(["IDEMPOTENCY_KEY_REUSED", "ok"]);
});

describe("a call that fails", () => {
  const failing = async (tx: Tx) => {
    await note(tx);
    throw new Error("on purpose");
  };

  test("stores nothing, and the next one may be another request", async () => {
    await expect(once(call(), failing)).rejects.toThrow("on purpose");
    expect([await notes(), await stored()]).toEqual([0, 0]);
    await once(call({ request: create(CreateTokenRequestSchema, { name: "another name" }) }));
    expect([await notes(), await stored()]).toEqual([1, 1]);
  });

  test("lets one that waits for it create", async () => {
    const first = await hold(true);
    const second = once(call());
    await waitFor(isWaiting, { deadlineMs: 30_000 });
    first.end();
    await expect(first.reply).rejects.toThrow("on purpose");
    await second;
    expect([await notes(), await stored()]).toEqual([1, 1]);
  });
});

/**
 * Begins a call, and returns once it has inserted its key. The call continues at `end`, and fails there if requested.
 */
async function hold(fails: boolean) {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reply = once(call(), async (tx) => {
    await tx.query(statement`set local idle_in_transaction_session_timeout = 0`);
    const created = await note(tx);
    begun.resolve();
    await ended.promise;
    if (fails) throw new Error("on purpose");
    return created;
  });
  reply.catch(() => undefined); // awaited by the test
  await begun.promise;
  return { reply, end: ended.resolve };
}

const isWaiting = async () => {
  const text = statement`
    select
    from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return (await execute(db, text)).rowCount || undefined;
};

test("one that waits for too long is a time-out of the database, which is 503", async () => {
  const first = await hold(false);
  const late: unknown = await once(call(), note, hasty).catch((error: unknown) => error);
  expect(late).toBeInstanceOf(DatabaseUnavailable);
  expect(late).toMatchObject({ timedOut: true });
  first.end();
  await first.reply;
  expect([await notes(), await stored()]).toEqual([1, 1]);
});

describe("after 24 hours", () => {
  const age = (interval: string) =>
    execute(db, statement`update idempotent_replies set created_at = now() - $1::interval`, [interval]);

  test("a key counts as unknown, although its row is still there", async () => {
    const first = await once(call());
    await age("23:59");
    expect((await once(call())).secret).toBe(first.secret);
    await age("24:00:01");
    const other = call({ request: create(CreateTokenRequestSchema, { name: "another name" }) });
    const second = await once(other);
    expect(second.secret).not.toBe(first.secret);
    expect((await once(other)).secret).toBe(second.secret);
    expect([await notes(), await stored()]).toEqual([2, 1]);
  });

  test("32 at once create one record", async () => {
    await once(call());
    await age("24:00:01");
    const replies = await Promise.all(Array.from({ length: 32 }, () => once(call())));
    expect(new Set(replies.map(({ secret }) => secret)).size).toBe(1);
    expect([await notes(), await stored()]).toEqual([2, 1]);
  });

  test("rows are purged in batches of at most 1,000, and no younger ones", async () => {
    const insert = statement`
      insert into idempotent_replies (key_digest, request_digest)
      select sha256(int4send(n)), sha256('')
      from generate_series(1, 2300) n`;
    await execute(db, insert);
    await age("24:00:01");
    await once(call());
    const batches: number[] = [];
    const transaction: Database["transaction"] = async (work) => {
      const result = await db.transaction(work);
      batches.push((result as { rows: { deleted: number }[] }).rows[0]?.deleted ?? 0);
      return result;
    };
    const { signal } = new AbortController();
    const pause = async () => undefined;
    expect(await purgeTable({ transaction }, purgedReplies, { days: 1, signal, pause })).toBe(2_300);
    expect(batches.reduce((sum, deleted) => sum + deleted, 0)).toBe(2_300);
    expect(Math.max(...batches)).toBeLessThanOrEqual(1_000);
    expect(await stored()).toBe(1);
  });
});

test("the row contains neither the key nor the reply", async () => {
  const { secret } = await once(call());
  const { rows } = await db.read(statement<{ text: string }>`
    select encode(key_digest || request_digest || reply, 'escape') as text
    from idempotent_replies`);
  for (const part of [secret, "an id", "a key", "a caller"]) expect(rows[0]?.text).not.toContain(part);
  expect(rows[0]?.text.length).toBeGreaterThan(64);
});
