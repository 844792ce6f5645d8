import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type ServerProcess, startServerProcess, unprivilegedUser } from "@cloud/local-servers";
import { currentTestRun, takeStablePort, waitFor } from "@cloud/testkit";
import { processTree, signalAll } from "@cloud/testkit/faults";
import { debianPrograms } from "./debian-programs.ts";
import { type NodeOptions, patroniSettings } from "./patroni-settings.ts";

/** A Postgres with the Patroni that supervises it. */
export interface PatroniNode {
  readonly name: string;
  readonly port: number;
  /** The port of Patroni's REST API, which reports whether the node leads. */
  readonly restPort: number;
  /** The URL for the superuser, in the database `postgres`. */
  readonly superuserUrl: string;
  /** Starts Patroni, which starts Postgres, or joins one that runs. */
  start(): Promise<void>;
  /** SIGKILL to all processes of Postgres; Patroni lives. */
  killPostgres(): void;
  /** SIGKILL to Patroni alone: Postgres lives on, without supervision. */
  killPatroni(): Promise<void>;
  /** Freezes Postgres and Patroni. */
  freeze(): void;
  /** Continues both, or Postgres alone. */
  thaw(what: "both" | "postgres"): void;
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";

export async function createPatroniNode(options: NodeOptions): Promise<PatroniNode> {
  const { name } = options;
  const { patroni, env, postgresFolder } = await debianPrograms();
  const [port, restPort] = [await takeStablePort(), await takeStablePort()];
  const folder = mkdtempSync(join(currentTestRun().folder, `${name}-`));
  const cluster = join(folder, "data");
  const configuration = join(folder, "patroni.json");
  mkdirSync(cluster, { mode: 0o700 });
  const settings = patroniSettings(options, { port, restPort, folder, cluster, postgresFolder });
  writeFileSync(configuration, JSON.stringify(settings));
  const user = unprivilegedUser(cluster, [folder, cluster, configuration, patroni]);
  for (const path of [folder, cluster, configuration]) user?.own(path);
  let supervisor: ServerProcess | undefined;
  /** The postmaster, which outlives its Patroni, and its children. */
  const postgresPids = () => {
    const pid = postmasterPid(cluster);
    return pid === undefined ? [] : processTree(pid);
  };
  return {
    name,
    port,
    restPort,
    superuserUrl: `postgresql://postgres:${options.password}@${HOST}:${port}/postgres`,
    start: async () => {
      supervisor = await startServerProcess({
        command: "/usr/bin/python3",
        args: [patroni, configuration],
        env: { ...env, PATH: `${postgresFolder}:${env["PATH"]}`, HOME: folder },
        logFile: join(folder, "patroni.log"),
        user,
        lastSignal: "SIGTERM", // which stops its Postgres, too
      });
    },
    killPostgres: () => signalAll(postgresPids(), "SIGKILL"),
    killPatroni: async () => {
      await supervisor?.stop("SIGKILL", 0);
    },
    freeze: () => signalAll([...(supervisor ? [supervisor.pid] : []), ...postgresPids()], "SIGSTOP"),
    thaw: (what) => {
      signalAll(postgresPids(), "SIGCONT");
      if (what === "both" && supervisor) signalAll([supervisor.pid], "SIGCONT");
    },
    stop: async () => {
      await supervisor?.stop("SIGKILL", 0);
      signalAll(postgresPids(), "SIGKILL");
      await waitFor(() => postgresPids().length === 0 || undefined, { deadlineMs: 10_000 });
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Postgres writes its process id into the first line of a file in its data folder, where a killed one leaves it. */
function postmasterPid(cluster: string): number | undefined {
  const file = join(cluster, "postmaster.pid");
  const [, pid] = /^(\d+)\n/.exec(existsSync(file) ? readFileSync(file, "utf8") : "") ?? [];
  return pid !== undefined && commandOf(pid).includes(cluster) ? Number(pid) : undefined;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it has exited
  }
}
