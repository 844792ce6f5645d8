import { randomBytes } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { assertPortIsFree, portInUse, takeStablePort } from "./free-port.ts";
import { configurationOf, natsArguments, natsServerOf, stopLeftover, waitForLeftoverNats } from "./leftover-servers.ts";
import { LocalServerError, type ServerProcess, startServerProcess } from "./server-process.ts";

export interface NatsOptions {
  /** Path of the nats-server program; see findNatsServer. */
  binary: string;
  /** A free one if absent. */
  port?: number | undefined;
  /** Contains JetStream's files, the server's log and its configuration; created if missing, kept at the end. */
  storeFolder: string;
  /** The users of an earlier start, to keep their passwords; new ones if absent. */
  users?: NatsUsers | undefined;
  log?: ((line: string) => void) | undefined;
  /** Stops waiting for the server, and stops the server. */
  signal?: AbortSignal | undefined;
}

export interface LocalNats {
  /** nats://127.0.0.1:<port>, without a login: clients without one are refused. */
  url: string;
  users: NatsUsers;
  /** Contains the passwords of the users. */
  configurationFile: string;
  port: number;
  pid: number;
  /** Settles when the server has ended, for whatever reason, with that reason: `SIGKILL`, or `exit code 1`. */
  ended: Promise<string>;
  logFile: string;
  /** Stops the server and waits for it. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts nats-server with JetStream on 127.0.0.1; resolves when it accepts clients. It ends with this process.
 *
 * @throws LocalServerError
 */
export async function startNats({ binary, port, storeFolder, log, signal, ...kept }: NatsOptions): Promise<LocalNats> {
  const users = kept.users ?? createNatsUsers();
  const folder = await createStore(resolve(storeFolder));
  await waitForLeftoverNats(folder, 5_000);
  if (port !== undefined) await assertPortIsFree(port, "NATS");
  await writeConfiguration(folder, users);
  // Another program can take a free port before the server listens on it, so there are five attempts.
  for (let tries = port === undefined ? 5 : 1; ; tries -= 1) {
    const chosen = port ?? (await takeStablePort());
    const server = await startServer(binary, chosen, folder);
    if (await becomesReady(server, chosen, signal)) {
      const url = `nats://127.0.0.1:${chosen}`;
      log?.(`nats-server on ${url}`);
      const { pid, ended, logFile } = server;
      const configurationFile = configurationOf(folder);
      return {
        url,
        users,
        configurationFile,
        port: chosen,
        pid,
        ended,
        logFile,
        stop: () => server.stop("SIGTERM", 5_000),
      };
    }
    const lastLines = server.lastLines();
    await server.stop("SIGKILL", 0);
    if (!/in use/i.test(lastLines))
      throw new LocalServerError("START_FAILED", `nats-server did not start: ${lastLines}`);
    if (tries <= 1) throw portInUse(chosen, "NATS");
  }
}

/**
 * Stops the nats-server that a killed start has left on this store, with one logged line. Only for the owner of the
 * folder: a live program's server would be stopped as well.
 *
 * @throws LocalServerError FOLDER_IN_USE if it cannot be stopped
 */
export async function stopLeftoverNats(storeFolder: string, log: (line: string) => void): Promise<void> {
  const folder = resolve(storeFolder);
  await stopLeftover({ name: "nats-server", folder, find: () => natsServerOf(folder), signal: "SIGTERM", log });
}

/** Creates the folder of the store. Returns its real path, so that one store has one name however it was reached. */
async function createStore(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    return realpathSync(folder);
  } catch (error) {
    const message = `The NATS store folder ${folder} cannot be used: ${(error as Error).message}. Delete it.`;
    throw new LocalServerError("BROKEN_FOLDER", message, error);
  }
}

/**
 * Writes the configuration into a new file: an existing one would keep its mode. The passwords are not on the command
 * line, which all users can read.
 */
async function writeConfiguration(folder: string, { configuration }: NatsUsers): Promise<void> {
  await rm(configurationOf(folder), { force: true });
  await writeFile(configurationOf(folder), configuration, { mode: 0o600, flag: "wx" });
}

async function startServer(binary: string, port: number, folder: string): Promise<ServerProcess> {
  try {
    return await startServerProcess({
      command: binary,
      args: natsArguments(String(port), folder),
      logFile: join(folder, "nats.log"),
      lastSignal: "SIGTERM",
    });
  } catch (error) {
    const message = `nats-server cannot be run from ${binary}: ${(error as Error).message}.`;
    throw new LocalServerError("SERVER_MISSING", message, error);
  }
}

async function becomesReady(server: ServerProcess, port: number, signal: AbortSignal | undefined): Promise<boolean> {
  const pollMs = 5;
  const deadlineMs = 30_000; // a large store is read before the first client is accepted
  for (let waited = 0; waited < deadlineMs && !server.hasEnded() && !signal?.aborted; waited += pollMs) {
    if ((await greets(port)) && !server.hasEnded()) return true;
    await delay(pollMs);
  }
  return false;
}

/** Returns whether the port replies with `INFO {…}`, as nats-server does on every new connection. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const settle = (value: boolean) => {
      socket.destroy();
      resolve(value);
    };
    socket.setTimeout(1_000, () => settle(false));
    socket.once("error", () => settle(false));
    socket.once("close", () => settle(false));
    socket.once("data", (chunk) => settle(chunk.toString().startsWith("INFO ")));
  });
}

/** The users of production, each with its permissions; their passwords are variables. */
const AUTHORIZATION = new URL("../../../deploy/nats/authorization.conf", import.meta.url);
/** The user of the example of docs/events.md, which runs beside `npm start`. */
const FOREIGN_CONSUMER = new URL("../../../deploy/nats/billing-consumer.conf", import.meta.url);

const UPDATE = /^ *"\$JS\.API\.STREAM\.UPDATE\.CLOUD_EVENTS"\n/gm;

/** Seconds for a login: a client on a busy machine may need more than the server's default of 2. */
const PATIENT = "authorization {\n  timeout: 30\n";

export interface NatsUsers {
  /** The contents of the server's configuration file, which contain the passwords. */
  readonly configuration: string;
  /** Adds a user's login to the URL of a server: a service's name, `billing`, or `operator`, who may do everything. */
  loginTo(url: string, user: string): string;
}

/**
 * Creates a random password for each user of `deploy/nats/authorization.conf`, and for the user of a foreign consumer.
 * Without `mayUpdateStream`, the services lack the right that they can do without, as deploy/README.md describes.
 */
export function createNatsUsers({ mayUpdateStream = true } = {}): NatsUsers {
  const consumer = readFileSync(FOREIGN_CONSUMER, "utf8");
  const text = readFileSync(AUTHORIZATION, "utf8").replace("  users: [\n", () => `  users: [\n${consumer}`);
  const authorization = mayUpdateStream ? text : text.replaceAll(UPDATE, "");
  const patient = authorization.replace("authorization {\n", PATIENT);
  const variables = [...authorization.matchAll(/\$(NATS_(\w+)_PASSWORD)\b/g)];
  const users = new Map(variables.map(([, variable = "", name = ""]) => [name.toLowerCase(), createUser(variable)]));
  const passwords = [...users.values()].map(({ variable, password }) => `${variable}: "${password}"\n`);
  return {
    configuration: passwords.join("") + patient,
    loginTo: (url, user) => {
      const found = users.get(user);
      if (found === undefined)
        throw new TypeError(`there is no NATS user ${user}, only ${[...users.keys()].join(", ")}`);
      const withLogin = new URL(url);
      withLogin.username = user;
      withLogin.password = found.password;
      return withLogin.href;
    },
  };
}

const createUser = (variable: string) => ({ variable, password: randomBytes(24).toString("base64url") });
