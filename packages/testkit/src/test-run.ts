import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the servers of one jest run are reached by; the workers inherit it as environment variables. */
export interface TestRun {
  /** Deleted at the end of the run. */
  folder: string;
  postgresUrl: string;
  /** Empty when this machine has no nats-server. */
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
    throw new Error("no test servers: name the file *.int.test.ts or *.e2e.test.ts, so that jest starts them");
  }
  return { folder, postgresUrl, natsServer: process.env[NATS] ?? "" };
}

/** Notes that something was opened; the returned function notes that it was closed. The run fails on what stays. */
export function noteOpened(kind: string, name: string): () => void {
  const note = join(currentTestRun().folder, `open-${kind}-${name}`);
  writeFileSync(note, `${kind} ${name} of ${currentTestFile()}`);
  return () => rmSync(note, { force: true });
}

export function stillOpen(folder: string): string[] {
  const notes = readdirSync(folder).filter((name) => name.startsWith("open-"));
  return notes.map((name) => readFileSync(join(folder, name), "utf8"));
}

function currentTestFile(): string {
  const { expect } = globalThis as { expect?: { getState(): { testPath?: string } } };
  return expect?.getState().testPath ?? "an unknown test file";
}
