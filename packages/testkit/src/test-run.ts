import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The addresses of one jest run's servers; workers inherit them as environment variables. */
export interface TestRun {
  /** Deleted at the end of the run. */
  folder: string;
  postgresUrl: string;
  /** Empty if this machine has no nats-server. */
  natsServer: string;
}

const FOLDER = "TEST_RUN_FOLDER";
const POSTGRES = "TEST_POSTGRES_URL";
const NATS = "TEST_NATS_SERVER";

export const createRunFolder = (): string => mkdtempSync(join(tmpdir(), "cloud-tests-"));

export function publishTestRun(run: TestRun): void {
  process.env[FOLDER] = run.folder;
  process.env[POSTGRES] = run.postgresUrl;
  process.env[NATS] = run.natsServer;
}

/** @throws Error outside a jest run with testkit's globalSetup */
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

export function stillOpen(folder: string): string[] {
  const notes = readdirSync(folder).filter((name) => name.startsWith("open-"));
  return notes.map((name) => readFileSync(join(folder, name), "utf8"));
}

const currentTestFile = () => process.env["TEST_FILE"] ?? "an unknown test file";
