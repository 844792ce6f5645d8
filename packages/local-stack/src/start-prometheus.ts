import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findProgram, LocalServerError, startServerProcess, takeStablePort } from "@cloud/local-servers";
import type { Operators } from "./start-operators.ts";

interface PrometheusOptions {
  readonly binary: string;
  /** Contains its configuration, its log and what it has stored; created if missing, kept at the end. */
  readonly folder: string;
  /** A free one if 0. */
  readonly port: number;
  /** The operator ports from which it reads the metrics of each program. */
  readonly operators: Operators;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

interface LocalPrometheus {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts Prometheus on 127.0.0.1, with the rules of `deploy/prometheus`; resolves when it replies. It ends with this
 * process. One that ends earlier is reported in one line, and nothing else depends on it.
 *
 * @throws LocalServerError
 */
export async function startPrometheus(options: PrometheusOptions): Promise<LocalPrometheus> {
  const { binary, folder, operators, signal, print } = options;
  await mkdir(folder, { recursive: true });
  const configuration = join(folder, "prometheus.yml");
  await writeFile(configuration, configurationOf(operators));
  const port = options.port === 0 ? await takeStablePort() : options.port;
  const url = `http://127.0.0.1:${port}`;
  const server = await startServerProcess({
    command: binary,
    args: [
      `--config.file=${configuration}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      "--storage.tsdb.retention.time=7d",
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    logFile: join(folder, "prometheus.log"),
    lastSignal: "SIGTERM",
  });
  const replies = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  const until = performance.now() + READY_MS;
  while (!(await replies())) {
    if (server.hasEnded() || signal.aborted || performance.now() > until) {
      const last = server.lastLines();
      await server.stop("SIGKILL", 0);
      throw new LocalServerError("START_FAILED", `Prometheus did not start: ${last}`);
    }
    await delay(50);
  }
  void server.ended.then((reason) => {
    if (!signal.aborted) print(`Prometheus ended (${reason}): ${server.logFile}`);
  });
  return { url, stop: () => server.stop("SIGTERM", STOP_MS) };
}

const READY_MS = 20_000;
/** Milliseconds to stop, for a store that is large. */
const STOP_MS = 5_000;

/** Returns the configuration as JSON, which is YAML, with a job for each program. */
function configurationOf(operators: Operators): string {
  const jobs = Object.entries(operators).map(([name, url]) => ({
    job_name: name,
    static_configs: [{ targets: [new URL(url).host] }],
  }));
  const global = { scrape_interval: "5s", evaluation_interval: "5s" };
  return JSON.stringify({ global, rule_files: [RULES], scrape_configs: jobs }, null, 2);
}

/** The alerts of production. */
const RULES = fileURLToPath(new URL("../../../deploy/prometheus/rules.yaml", import.meta.url));

/** Finds Prometheus: on the PATH, or where its package was unpacked in the cache folder. Downloads nothing. */
export function findPrometheus(cacheFolder: string): string | undefined {
  return findProgram("prometheus", join(cacheFolder, "debian/usr/bin/prometheus"));
}

/** The line that is printed instead of a start. */
export const NO_PROMETHEUS =
  "no Prometheus was found, so none is started: install one (Debian: apt-get install prometheus), or start without --prometheus";
