import { existsSync, mkdirSync } from "node:fs";
import { assertPortIsFree, findNatsServer, LocalServerError, startNats, startPostgres } from "@cloud/local-servers";
import { type Demo, readDemo, writeDemo } from "./demo.ts";
import { deleteLocalFolder, localFolder, logToFiles, readServiceToken } from "./local-folder.ts";
import { acquireLocalLock } from "./local-lock.ts";
import type { LocalSettings } from "./local-settings.ts";
import { renewDemo, seedDemo } from "./seed-demo.ts";
import { type Stack, startStack } from "./stack.ts";

export interface LocalSystem {
  stack: Stack;
  /** Undefined with --no-demo and no demo of an earlier start. */
  demo: Demo | undefined;
  postgresUrl: string;
  /** Undefined when events are handed over within this process. */
  natsUrl: string | undefined;
  stop(): Promise<void>;
}

type Tell = (line: string) => void;

/** Starts everything, telling what takes long. @throws LocalServerError with one line for people */
export async function startLocal(settings: LocalSettings, tell: Tell): Promise<LocalSystem> {
  const paths = localFolder(settings.folder);
  makeFolder(settings.folder);
  await using resources = new AsyncDisposableStack();

  const unlock = acquireLocalLock(paths.lock);
  process.once("exit", unlock);
  resources.defer(unlock);
  await assertPortsAreFree(settings);
  if (settings.reset) await deleteLocalFolder(settings.folder);

  if (!existsSync(paths.postgres)) tell("making the database (first start only)");
  const port = settings.postgresPort || undefined;
  const postgres = await startPostgres({ folder: paths.postgres, port, persistent: true });
  resources.defer(() => postgres.stop());
  const natsUrl = settings.natsUrl || (await startOwnNats(settings, resources, tell));
  tell("starting the services");
  const stack = await startStack({
    postgresUrl: postgres.superuserUrl,
    natsUrl,
    ports: settings.ports,
    serviceToken: await readServiceToken(paths.serviceToken),
    telemetryFor: logToFiles(paths.logs),
  });
  resources.defer(() => stack.stop());
  const demo = await provideDemo(stack, paths.demo, settings.demo, tell);

  const running = resources.move();
  return { stack, demo, postgresUrl: postgres.superuserUrl, natsUrl, stop: () => running.disposeAsync() };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const message = `The folder ${folder} cannot be made: ${(error as Error).message}. Set LOCAL_FOLDER to another.`;
    throw new LocalServerError("BROKEN_FOLDER", message, error);
  }
}

/** Before anything starts, so that the line is the first one seen. */
async function assertPortsAreFree({ ports, postgresPort, natsPort }: LocalSettings): Promise<void> {
  const named = [
    ["The gateway (GATEWAY_PORT)", ports.gateway],
    ["The workspace service (WORKSPACE_PORT)", ports.workspace],
    ["The environment service (ENVIRONMENT_PORT)", ports.environment],
    ["The identity service (IDENTITY_PORT)", ports.identity],
    ["Postgres (POSTGRES_PORT)", postgresPort],
    ["NATS (NATS_PORT)", natsPort],
  ] as const;
  for (const [who, port] of named) if (port !== 0) await assertPortIsFree(port, who);
}

async function startOwnNats(
  { cacheFolder, folder, natsPort }: LocalSettings,
  resources: AsyncDisposableStack,
  tell: Tell,
): Promise<string | undefined> {
  const binary = await findNatsServer({ cacheFolder, log: tell });
  if (binary === undefined) return undefined;
  const nats = await startNats({ binary, port: natsPort || undefined, storeFolder: localFolder(folder).nats });
  resources.defer(() => nats.stop());
  return nats.url;
}

/** The demo of an earlier start when its records are still there, else a new one. */
async function provideDemo(stack: Stack, file: string, seed: boolean, tell: Tell): Promise<Demo | undefined> {
  const earlier = await readDemo(file);
  const demo = (earlier && (await renewDemo(stack, earlier))) ?? (seed ? await seedAnew(stack, tell) : undefined);
  if (demo !== undefined) await writeDemo(file, demo);
  return demo;
}

function seedAnew(stack: Stack, tell: Tell): Promise<Demo> {
  tell("creating the demo's records (first start only)");
  return seedDemo(stack);
}
