import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTestDatabase, type RemovedProtection, type TestDatabase, without } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";

interface Kind {
  readonly what: "row" | "page";
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
  {
    what: "page",
    file: "packages/service/src/records/read-pages.ts",
    find: "const result = await lane.query(key);",
    read: "lane.query(key)",
    key: "key",
    result: "",
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

/** What was read is kept for 100 ms. */
const kept = ({ file, find, read, result }: Kind): RemovedProtection => ({
  file,
  find,
  replace: `const kept = globalThis.kept;
    if (kept !== undefined && performance.now() - kept.at < 100) return (await kept.read)${result};
    globalThis.kept = { at: performance.now(), read: ${read} };
    return (await globalThis.kept.read)${result};`,
});

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

/** Of a control, which ends at the first stale read: mostly one of the first hundreds, but that is chance. */
const MOST_WRITES = 50_000;

/** Reads a row after each change, while the calls of others read it, too. */
async function race({ what }: Kind, writes: number, removed: readonly RemovedProtection[]): Promise<Raced> {
  const { preload, env } = without(removed);
  const main = fileURLToPath(new URL("racing-reads-process.ts", import.meta.url));
  const args = [...preload.flatMap((module) => ["--import", module]), main, what, String(writes)];
  const environment = { PATH: process.env["PATH"] ?? "", DATABASE_URL: database.ownerUrl, ...env };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
  return JSON.parse(stdout) as Raced;
}

test.each(KINDS)(
  "no read of a $what that shares a statement is older than its call",
  async (kind) => {
    const { reads, statements, stale } = await race(kind, 1_000, []);
    expect(stale).toBe(0);
    expect(statements).toBeLessThan(reads / 2);
  },
  30_000,
);

describe.each(KINDS)("control: stale reads of a $what are seen where", (kind) => {
  test.each([
    ["a read joins the one in flight", joined],
    ["what was read is kept", kept],
  ])(
    "%s",
    async (_what, remove) => {
      expect((await race(kind, MOST_WRITES, [remove(kind)])).stale).toBeGreaterThan(0);
    },
    30_000,
  );
});
