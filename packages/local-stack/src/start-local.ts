import { LocalServerError } from "@cloud/local-servers";
import { closeFolder } from "./close-folder.ts";
import type { Demo } from "./demo.ts";
import { findPrometheus, NO_PROMETHEUS } from "./find-prometheus.ts";
import { finishFirstStart, prepareData } from "./first-start.ts";
import { localFolder, logToFiles, readServiceToken } from "./local-folder.ts";
import { acquireLocalLock } from "./local-lock.ts";
import type { LocalSettings } from "./local-settings.ts";
import { provideDemo } from "./provide-demo.ts";
import { type Stack, startStack } from "./stack.ts";
import { startPrometheus } from "./start-prometheus.ts";
import { clearTheWay, type LocalServers, type Supervision, startServers } from "./start-servers.ts";

export interface LocalSystem extends LocalServers {
  stack: Stack;
  /** Undefined with --no-demo if there is no demo of an earlier start. */
  demo: Demo | undefined;
  /** Undefined without --prometheus, and on a machine that has none. */
  prometheusUrl: string | undefined;
  stop(): Promise<void>;
}

/**
 * Starts everything, and prints steps that take long. When `signal` aborts, the current step is the last. @throws
 * LocalServerError with one line for users
 */
export async function startLocal(settings: LocalSettings, supervision: Supervision): Promise<LocalSystem> {
  const { print, signal } = supervision;
  const paths = localFolder(settings.folder);
  makeFolder(settings.folder);
  await using resources = new AsyncDisposableStack();

  const unlock = acquireLocalLock(paths.lock);
  process.once("exit", unlock);
  resources.defer(unlock);
  await clearTheWay(settings, print);
  signal.throwIfAborted();
  await prepareData(settings, print);
  closeFolder(paths.nats);

  const servers = await startServers(settings, resources, supervision);
  signal.throwIfAborted();
  print("starting the services");
  const stack = await startStack({
    ...servers,
    host: "localhost",
    ports: settings.ports,
    operatorPorts: settings.operatorPorts,
    corsOrigins: settings.corsOrigins,
    serviceToken: await readServiceToken(paths.serviceToken),
    telemetryFor: logToFiles(paths.logs),
  });
  resources.defer(() => stack.stop());
  signal.throwIfAborted();
  const demo = await provideDemo(stack, paths.demo, settings.demo, print);
  await finishFirstStart(settings.folder); // protects: finished-first-start
  const prometheusUrl = settings.prometheus
    ? await startOwnPrometheus(settings, stack, resources, supervision)
    : undefined;

  const running = resources.move();
  return { ...servers, stack, demo, prometheusUrl, stop: () => running.disposeAsync() };
}

async function startOwnPrometheus(
  { cacheFolder, folder, prometheusPort: port }: LocalSettings,
  { operators }: Stack,
  resources: AsyncDisposableStack,
  { print, signal }: Supervision,
): Promise<string | undefined> {
  const binary = findPrometheus(cacheFolder);
  if (binary === undefined) {
    print(NO_PROMETHEUS);
    return undefined;
  }
  const own = localFolder(folder).prometheus;
  const server = await startPrometheus({ binary, folder: own, port, operators, signal, print });
  resources.defer(() => server.stop());
  return server.url;
}

function makeFolder(folder: string): void {
  try {
    closeFolder(folder);
  } catch (error) {
    const message = `The folder ${folder} cannot be made: ${(error as Error).message}. Set LOCAL_FOLDER to another.`;
    throw new LocalServerError("BROKEN_FOLDER", message, error);
  }
}
