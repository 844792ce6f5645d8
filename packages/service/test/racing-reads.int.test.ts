import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTestDatabase, type RemovedProtection, type TestDatabase, without } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

const READ = "return (await readerOf(reads.db, text)(id)).row;";

/** A read joins the one of the same row that is in flight. */
const JOINED: RemovedProtection = {
  file: "packages/service/src/records/read-together.ts",
  find: READ,
  replace: `const inFlight = (globalThis.inFlight ??= new Map());
    const read = inFlight.get(id) ?? readerOf(reads.db, text)(id).finally(() => inFlight.delete(id));
    inFlight.set(id, read);
    return (await read).row;`,
};

/** What was read is kept for 100 ms. */
const KEPT: RemovedProtection = {
  file: "packages/service/src/records/read-together.ts",
  find: READ,
  replace: `const kept = globalThis.kept;
    if (kept !== undefined && performance.now() - kept.at < 100) return (await kept.read).row;
    globalThis.kept = { at: performance.now(), read: readerOf(reads.db, text)(id) };
    return (await globalThis.kept.read).row;`,
};

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase("test");
});
afterEach(() => database.drop());

interface Raced {
  readonly reads: number;
  /** That read. */
  readonly statements: number;
  /** Number of reads that returned an older value than was committed before their call. */
  readonly stale: number;
}

/** Reads a row after each of 1,000 changes, while the calls of others read it, too. */
async function race(removed: readonly RemovedProtection[]): Promise<Raced> {
  const { preload, env } = without(removed);
  const main = fileURLToPath(new URL("racing-reads-process.ts", import.meta.url));
  const args = [...preload.flatMap((module) => ["--import", module]), main];
  const environment = { PATH: process.env["PATH"] ?? "", DATABASE_URL: database.ownerUrl, ...env };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
  return JSON.parse(stdout) as Raced;
}

test("no read that shares a statement is older than its call", async () => {
  const { reads, statements, stale } = await race([]);
  expect(stale).toBe(0);
  expect(statements).toBeLessThan(reads / 2);
}, 30_000);

test.each([
  ["a read joins the one in flight", JOINED],
  ["what was read is kept", KEPT],
])(
  "control: stale reads are seen where %s",
  async (_what, removed) => {
    expect((await race([removed])).stale).toBeGreaterThan(0);
  },
  30_000,
);
