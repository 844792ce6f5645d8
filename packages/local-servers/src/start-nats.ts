import { mkdir } from "node:fs/promises";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { assertPortIsFree, portInUse, takeFreePort } from "./free-port.ts";
import { LocalServerError } from "./local-server-error.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

export interface NatsOptions {
  /** Path of the nats-server program; see findNatsServer. */
  binary: string;
  /** A free one when left out. */
  port?: number | undefined;
  /** Holds JetStream's files and the server's log; created when missing, kept at the end. */
  storeFolder: string;
  log?: ((line: string) => void) | undefined;
}

export interface LocalNats {
  /** nats://127.0.0.1:<port> */
  url: string;
  pid: number;
  /** Stops the server and waits for it; safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts nats-server with JetStream on 127.0.0.1 and answers when it greets its clients. It ends with this process.
 * @throws LocalServerError
 */
export async function startNats({ binary, port, storeFolder, log }: NatsOptions): Promise<LocalNats> {
  const folder = resolve(storeFolder);
  if (port !== undefined) await assertPortIsFree(port, "NATS");
  await createStore(folder);
  // A port found free can be taken by another program before the server listens on it: five tries for those.
  for (let tries = port === undefined ? 5 : 1; ; tries -= 1) {
    const chosen = port ?? (await takeFreePort());
    const server = await startServer(binary, chosen, folder);
    if (await becomesReady(server, chosen)) {
      const url = `nats://127.0.0.1:${chosen}`;
      log?.(`nats-server on ${url}`);
      return { url, pid: server.pid, stop: () => server.stop("SIGTERM", 5_000) };
    }
    const said = server.lastLines();
    await server.stop("SIGKILL", 0);
    if (!/in use/i.test(said)) throw new LocalServerError("START_FAILED", `nats-server did not start: ${said}`);
    if (tries <= 1) throw portInUse(chosen, "NATS");
  }
}

async function createStore(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const message = `The NATS store folder ${folder} cannot be used: ${(error as Error).message}. Delete it.`;
    throw new LocalServerError("BROKEN_FOLDER", message, error);
  }
}

async function startServer(binary: string, port: number, folder: string): Promise<ServerProcess> {
  try {
    return await startServerProcess({
      command: binary,
      args: ["--addr", "127.0.0.1", "--port", String(port), "--jetstream", "--store_dir", folder],
      logFile: join(folder, "nats.log"),
      lastSignal: "SIGTERM",
    });
  } catch (error) {
    const message = `nats-server cannot be run from ${binary}: ${(error as Error).message}.`;
    throw new LocalServerError("SERVER_MISSING", message, error);
  }
}

async function becomesReady(server: ServerProcess, port: number): Promise<boolean> {
  const pollMs = 5;
  const deadlineMs = 30_000; // a large store is read before the first client is greeted
  for (let waited = 0; waited < deadlineMs && !server.hasEnded(); waited += pollMs) {
    if ((await greets(port)) && !server.hasEnded()) return true;
    await delay(pollMs);
  }
  return false;
}

/** nats-server says `INFO {…}` to every new connection. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const answer = (value: boolean) => {
      socket.destroy();
      resolve(value);
    };
    socket.setTimeout(1_000, () => answer(false));
    socket.once("error", () => answer(false));
    socket.once("close", () => answer(false));
    socket.once("data", (chunk) => answer(chunk.toString().startsWith("INFO ")));
  });
}
