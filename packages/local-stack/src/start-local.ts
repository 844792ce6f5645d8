import {
  assertPortIsFree,
  findNatsServer,
  type LocalNats,
  LocalServerError,
  startNats,
  startPostgres,
  stopLeftoverNats,
  stopLeftoverPostgres,
  supervise,
} from "@cloud/local-servers";
import type { Demo } from "./demo.ts";
import {
  closeFolder,
  finishFirstStart,
  localFolder,
  logToFiles,
  prepareData,
  readServiceToken,
} from "./local-folder.ts";
import { acquireLocalLock } from "./local-lock.ts";
import type { LocalSettings } from "./local-settings.ts";
import { provideDemo } from "./provide-demo.ts";
import { type Stack, startStack } from "./stack.ts";
import { findPrometheus, NO_PROMETHEUS, startPrometheus } from "./start-prometheus.ts";

export interface LocalSystem extends LocalServers {
  stack: Stack;
  /** Undefined with --no-demo if there is no demo of an earlier start. */
  demo: Demo | undefined;
  /** Undefined without --prometheus, and on a machine that has none. */
  prometheusUrl: string | undefined;
  stop(): Promise<void>;
}

/**
 * Starts everything, and prints steps that take long. When `signal` aborts, the current step is the last.
 *
 * @throws LocalServerError with one line for users
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

/** The receivers of what happens to the servers. */
interface Supervision {
  print: (line: string) => void;
  /** Receives the reason when a server keeps ending. */
  giveUp: (error: Error) => void;
  /** Aborted when everything is to stop: from then on a server's end is no fault. */
  signal: AbortSignal;
}

interface LocalServers {
  postgresUrl: string;
  /** The URL without a login. Undefined if events are delivered within this process. */
  natsUrl: string | undefined;
  /** The NATS URL of each service, with its login. */
  natsUrlOf: ((service: string) => string) | undefined;
}

/**
 * Stops the servers that a killed start has left in the folder, and then checks the ports, which they may hold. Only
 * for the owner of the folder's lock.
 *
 * @throws LocalServerError
 */
async function clearTheWay(settings: LocalSettings, print: (line: string) => void): Promise<void> {
  const paths = localFolder(settings.folder);
  await stopLeftoverPostgres(paths.postgres, print); // protects: leftover-postgres
  await stopLeftoverNats(paths.nats, print); // protects: leftover-nats
  await assertPortsAreFree(settings);
}

/** Requires that all ports are free, before anything starts, so that this line is printed first. */
async function assertPortsAreFree({ ports, operatorPorts, ...settings }: LocalSettings): Promise<void> {
  const named = [
    ["The gateway (GATEWAY_PORT)", ports.gateway],
    ["The workspace service (WORKSPACE_PORT)", ports.workspace],
    ["The environment service (ENVIRONMENT_PORT)", ports.environment],
    ["The identity service (IDENTITY_PORT)", ports.identity],
    ["The gateway's operators (GATEWAY_OPERATOR_PORT)", operatorPorts.gateway],
    ["The workspace service's operators (WORKSPACE_OPERATOR_PORT)", operatorPorts.workspace],
    ["The environment service's operators (ENVIRONMENT_OPERATOR_PORT)", operatorPorts.environment],
    ["The identity service's operators (IDENTITY_OPERATOR_PORT)", operatorPorts.identity],
    ["Postgres (POSTGRES_PORT)", settings.postgresPort],
    ["NATS (NATS_PORT)", settings.natsPort],
    ["Prometheus (PROMETHEUS_PORT)", settings.prometheusPort],
  ] as const;
  for (const [who, port] of named) if (port !== 0) await assertPortIsFree(port, who);
}

/** Starts Postgres and NATS, and keeps them running until `resources` are disposed. @throws LocalServerError */
async function startServers(
  settings: LocalSettings,
  resources: AsyncDisposableStack,
  supervision: Supervision,
): Promise<LocalServers> {
  const postgresUrl = await startOwnPostgres(settings, resources, supervision);
  if (settings.natsUrl !== "") {
    return { postgresUrl, natsUrl: withoutLogin(settings.natsUrl), natsUrlOf: () => settings.natsUrl };
  }
  const nats = await startOwnNats(settings, resources, supervision);
  return { postgresUrl, natsUrl: nats?.url, natsUrlOf: nats && ((service) => nats.users.loginTo(nats.url, service)) };
}

async function startOwnPostgres(
  { folder, postgresPort }: LocalSettings,
  resources: AsyncDisposableStack,
  supervision: Supervision,
): Promise<string> {
  const options = { folder: localFolder(folder).postgres, persistent: true };
  const server = await startPostgres({ ...options, port: postgresPort || undefined, signal: supervision.signal });
  const { port } = server;
  const start = (signal: AbortSignal) => startPostgres({ ...options, port, signal });
  const kept = supervise({ name: "Postgres", server, start, log: supervision.print, ...supervision });
  resources.defer(() => kept.stop());
  return server.superuserUrl;
}

async function startOwnNats(
  { cacheFolder, folder, natsPort }: LocalSettings,
  resources: AsyncDisposableStack,
  supervision: Supervision,
): Promise<LocalNats | undefined> {
  const binary = await findNatsServer({ cacheFolder, log: supervision.print });
  if (binary === undefined) return undefined;
  const options = { binary, storeFolder: localFolder(folder).nats };
  const server = await startNats({ ...options, port: natsPort || undefined, signal: supervision.signal });
  const { port, users } = server;
  const start = (signal: AbortSignal) => startNats({ ...options, port, users, signal });
  const kept = supervise({ name: "nats-server", server, start, log: supervision.print, ...supervision });
  resources.defer(() => kept.stop());
  return server;
}

/** Returns the URLs as the banner shows them. */
const withoutLogin = (urls: string): string => urls.replaceAll(/\/\/[^/,]*@/g, "//");
