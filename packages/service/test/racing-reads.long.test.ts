import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTestDatabase, type RemovedProtection, type TestDatabase, without } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";

interface Kind {
  readonly what: "row";
  readonly file: string;
  /** The call that reads together with others, and the promise in it. */
  readonly find: string;
  readonly read: string;
  readonly key: string;
  /** Of what was read. */
  readonly result: string;
}

const KINDS: readonly Kind[] = [
  {
    what: "row",
    file: "packages/service/src/records/read-together.ts",
    find: "return (await readerOf(reads.db, text)(id)).row;",
    read: "readerOf(reads.db, text)(id)",
    key: "id",
    result: ".row",
  },
];

/** A read joins the one of the same row that is in flight. */
const joined = ({ file, find, read, key, result }: Kind): RemovedProtection => ({
  file,
  find,
  replace: `const inFlight = (globalThis.inFlight ??= new Map());
    const read = inFlight.get(${key}) ?? ${read}.finally(() => inFlight.delete(${key}));
    inFlight.set(${key}, read);
    return (await read)${result};`,
});

/** What was read is kept. */
const kept = ({ file, find, read, result }: Kind): RemovedProtection => ({
  file,
  find,
  replace: `globalThis.kept ??= ${read};
    return (await globalThis.kept)${result};`,
});

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase("test");
});
afterEach(() => database.drop());

/**
 * Reads a row while the read of another call is in flight, which began before a change; then after each of `writes`
 * changes, while the calls of others read it, too. Returns the number of reads that were older than their call.
 */
async function countStale(writes: number, removed: readonly RemovedProtection[]): Promise<number> {
  const { preload, env } = without(removed);
  const main = fileURLToPath(new URL("racing-reads-process.ts", import.meta.url));
  const args = [...preload.flatMap((module) => ["--import", module]), main, String(writes)];
  const environment = { PATH: process.env["PATH"] ?? "", DATABASE_URL: database.ownerUrl, ...env };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
  return Number(stdout);
}

test.each(KINDS)(
  "no read of a $what that shares a statement is older than its call",
  async () => {
    expect(await countStale(1_000, [])).toBe(0);
  },
  60_000,
);

describe.each(KINDS)("control: a read of a $what is stale where", (kind) => {
  test.each([
    ["a read joins the one in flight", joined],
    ["what was read is kept", kept],
  ])("%s", async (_what, remove) => {
    expect(await countStale(0, [remove(kind)])).toBe(1);
  });
});
