import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findNatsServer, startPostgres } from "@cloud/local-servers";
import { beginJudgements, printNotJudged } from "./figures/judge-time.ts";

/** The addresses of one jest run's servers; workers inherit them as environment variables. */
interface TestRun {
  /** Deleted at the end of the run. */
  folder: string;
  postgresUrl: string;
  /** Empty if this machine has no nats-server. */
  natsServer: string;
}

/** Returns the servers of this jest run. @throws Error outside a jest run with testkit's globalSetup */
export function currentTestRun(): TestRun {
  const folder = process.env[FOLDER];
  const postgresUrl = process.env[POSTGRES];
  if (folder === undefined || postgresUrl === undefined) {
    throw new Error(
      "no test servers: give the file the suffix of a suite with servers, such as *.int.test.ts (jest.config.js)",
    );
  }
  return { folder, postgresUrl, natsServer: process.env[NATS] ?? "" };
}

/**
 * Records that something was opened; the returned function records that it was closed. The run fails if anything stays
 * open.
 */
export function noteOpened(kind: string, name: string): () => void {
  const note = join(currentTestRun().folder, `open-${kind}-${name}`);
  writeFileSync(note, `${kind} ${name} of ${currentTestFile()}`);
  return () => rmSync(note, { force: true });
}

/** Creates an empty folder, deleted at the end of the jest run. */
export function testFolder(): string {
  return mkdtempSync(join(currentTestRun().folder, "folder-"));
}

/** Starts the Postgres of this jest run and finds a nats-server; a second call joins the first. */
export async function startTestServers(): Promise<void> {
  started.cloudTestServers ??= start();
  await started.cloudTestServers;
}

/** Stops what startTestServers started, once. @throws Error that lists what tests left open, and the test files */
export async function stopTestServers(): Promise<void> {
  const { cloudTestServers: servers, cloudTestUsers: users = [] } = started;
  delete started.cloudTestServers;
  delete started.cloudTestUsers;
  for (const stop of users) await stop();
  await (await servers)?.stop();
}

/** Calls `stop` before the servers stop, for what uses them during the whole run. */
export function beforeTestServersStop(stop: () => Promise<void>): void {
  started.cloudTestUsers = [...(started.cloudTestUsers ?? []), stop];
}

/**
 * The variables with which Node keeps what it compiled, of TypeScript too, for the next start of the same program. A
 * service took 0.5 s of CPU until it had read its configuration with it, and 1.1 s without.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../../.cache/compiled", import.meta.url)),
} as const;

const FOLDER = "TEST_RUN_FOLDER";
const POSTGRES = "TEST_POSTGRES_URL";
const NATS = "TEST_NATS_SERVER";

const createRunFolder = (): string => mkdtempSync(join(tmpdir(), "cloud-tests-"));

function publishTestRun(run: TestRun): void {
  process.env[FOLDER] = run.folder;
  process.env[POSTGRES] = run.postgresUrl;
  process.env[NATS] = run.natsServer;
}

function stillOpen(folder: string): string[] {
  const notes = readdirSync(folder).filter((name) => name.startsWith("open-"));
  return notes.map((name) => readFileSync(join(folder, name), "utf8"));
}

const currentTestFile = () => process.env["TEST_FILE"] ?? "an unknown test file";

interface TestServers {
  stop(): Promise<void>;
}

/**
 * The servers of this run. On the process and not in a module: jest may load setup and teardown as separate copies of a
 * module.
 */
const started = globalThis as { cloudTestServers?: Promise<TestServers>; cloudTestUsers?: (() => Promise<void>)[] };

const CACHE_FOLDER = fileURLToPath(new URL("../../../.cache", import.meta.url));

async function start(): Promise<TestServers> {
  beginJudgements();
  const folder = createRunFolder();
  try {
    return await startIn(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function startIn(folder: string): Promise<TestServers> {
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const [postgres, natsServer] = await Promise.all([
    startPostgres({ folder, persistent: false }),
    findNatsServer({ cacheFolder: CACHE_FOLDER, log }),
  ]);
  // For the workers, and for the programs that tests start with the environment of their worker.
  Object.assign(process.env, COMPILE_CACHE);
  publishTestRun({ folder, postgresUrl: postgres.superuserUrl, natsServer: natsServer ?? "" });

  const stop = async () => {
    printNotJudged();
    const forgotten = stillOpen(folder);
    await postgres.stop(); // also deletes the folder, as when this process is killed
    if (forgotten.length > 0) throw new Error(`tests left open:\n  ${forgotten.join("\n  ")}`);
  };
  return { stop };
}
