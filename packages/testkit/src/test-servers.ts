import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { findNatsServer, startPostgres } from "@cloud/local-servers";
import { beginJudgements, printNotJudged } from "./judgements.ts";
import { COMPILE_CACHE } from "./programs/compile-cache.ts";
import { createRunFolder, publishTestRun, stillOpen } from "./test-run.ts";

interface TestServers {
  stop(): Promise<void>;
}

/** On the process and not in a module: jest may load setup and teardown as separate copies of a module. */
const started = globalThis as { cloudTestServers?: Promise<TestServers>; cloudTestUsers?: (() => Promise<void>)[] };

const CACHE_FOLDER = fileURLToPath(new URL("../../../.cache", import.meta.url));

/** Starts the Postgres of this jest run and finds a nats-server; a second call joins the first. */
export async function startTestServers(): Promise<void> {
  started.cloudTestServers ??= start();
  await started.cloudTestServers;
}

/** Has `stop` called before the servers stop: by what uses them during the whole run. */
export function beforeTestServersStop(stop: () => Promise<void>): void {
  started.cloudTestUsers = [...(started.cloudTestUsers ?? []), stop];
}

/** Stops what startTestServers started, once. @throws Error that lists what tests left open, and the test files */
export async function stopTestServers(): Promise<void> {
  const { cloudTestServers: servers, cloudTestUsers: users = [] } = started;
  delete started.cloudTestServers;
  delete started.cloudTestUsers;
  for (const stop of users) await stop();
  await (await servers)?.stop();
}

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
