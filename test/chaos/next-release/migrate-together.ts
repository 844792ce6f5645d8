import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createTestDatabase, waitFor, without } from "@cloud/testkit";
import pg from "pg";
import { controls, type Protection } from "../controls.ts";

export interface Migrated {
  /** The exit code of each process. */
  readonly exitCodes: readonly number[];
  /** Number of migrations that each process applied. */
  readonly applied: readonly number[];
  /** The schema's own record, `source/name` in the order of application. */
  readonly recorded: readonly string[];
}

const PROGRAM = fileURLToPath(new URL("migrate-workspace.ts", import.meta.url));
/** The key of the lock that holds the processes until all of them are ready (migrate-workspace.ts). */
const START_LINE = 4711;

/** Starts this many processes that migrate one empty schema at the same moment. */
export async function migrateTogether(count: number, remove: readonly Protection[] = []): Promise<Migrated> {
  await using resources = new AsyncDisposableStack();
  const database = await createTestDatabase("workspace");
  resources.defer(() => database.drop());
  const client = new pg.Client({ connectionString: database.superuserUrl });
  await client.connect();
  resources.defer(() => client.end());

  await client.query("select pg_advisory_lock($1)", [START_LINE]);
  const running = Array.from({ length: count }, () => migrateOnce(database.ownerUrl, remove));
  const waiting = "select from pg_locks where locktype = 'advisory' and objid = $1 and not granted";
  const allThere = async () => ((await client.query(waiting, [START_LINE])).rowCount === count ? true : undefined);
  await waitFor(allThere, { deadlineMs: 60_000 });
  await client.query("select pg_advisory_unlock($1)", [START_LINE]);

  const ended = await Promise.all(running);
  const { rows } = await client.query<{ recorded: string }>(
    "select source || '/' || name as recorded from workspace.schema_migrations order by applied_at",
  );
  return {
    exitCodes: ended.map(({ code }) => code),
    applied: ended.map(({ output }) => output.split("migration applied").length - 1),
    recorded: rows.map(({ recorded }) => recorded),
  };
}

function migrateOnce(url: string, remove: readonly Protection[]): Promise<{ code: number; output: string }> {
  const { preload, env } = without(remove.flatMap((name) => controls[name]));
  const args = [...preload.flatMap((module) => ["--import", module]), PROGRAM];
  // Without the lock, the processes wait for each other where it would be acquired, so that their runs overlap.
  const startLine = remove.length > 0 ? undefined : { START_LINE: String(START_LINE) };
  const options = { env: { PATH: process.env["PATH"] ?? "", DATABASE_URL: url, ...startLine, ...env } };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}
