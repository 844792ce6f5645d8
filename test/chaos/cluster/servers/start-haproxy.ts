import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startServerProcess } from "@cloud/local-servers";
import { takeStablePort, testFolder, waitFor } from "@cloud/testkit";
import { assertListens } from "@cloud/testkit/faults";
import { debianPrograms } from "./debian-programs.ts";

/** A server behind a balancer, and where the balancer asks whether it may be used. */
export interface Backend {
  readonly name: string;
  readonly port: number;
  /** Replies to `GET` of the check's path with 200 while it may be used. */
  readonly checkPort: number;
}

export interface Listener {
  readonly name: string;
  readonly backends: readonly Backend[];
  /** The path of the health check, such as `/readyz`. If absent, the first backend that accepts connections is used. */
  readonly checkPath?: string;
  /** Whether a backend whose check fails keeps its connections and gets no new ones; otherwise they are closed. */
  readonly drains?: boolean;
  /** False: every backend is used, whatever its state. */
  readonly checks?: boolean;
}

/** A balancer of TCP connections with health checks. */
export interface Haproxy {
  /** The port of a listener. */
  port(name: string): number;
  /** Returns the log lines about backends that came up or went down. */
  changes(): string[];
  /** Returns whether every backend that was ever lost is in use again. */
  usesAll(): boolean;
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";

/** Starts Debian's HAProxy, with health checks every half second, which closes the connections of a lost backend. */
export async function startHaproxy(listeners: readonly Listener[]): Promise<Haproxy> {
  const { haproxy, env } = await debianPrograms();
  const folder = testFolder();
  const ports = new Map<string, number>();
  for (const { name } of listeners) ports.set(name, await takeStablePort());
  const port = (name: string) => ports.get(name) ?? 0;
  const file = join(folder, "haproxy.cfg");
  await writeFile(file, [DEFAULTS, ...listeners.map((one) => listenerText(one, port(one.name)))].join("\n"));
  const logFile = join(folder, "haproxy.log");
  const server = await startServerProcess({
    command: haproxy,
    args: ["-db", "-f", file],
    env,
    logFile,
    lastSignal: "SIGKILL",
  });
  const listens = async () => {
    if (server.hasEnded()) throw new Error(`HAProxy does not start: ${server.lastLines()}`);
    await Promise.all([...ports.values()].map(assertListens));
    return true;
  };
  await waitFor(listens, { deadlineMs: 10_000 });
  const changes = () =>
    readFileSync(logFile, "utf8")
      .split("\n")
      .filter((line) => / is (UP|DOWN|stopping)/.test(line));
  const usesAll = () => {
    const last = new Map<string, string>();
    for (const line of changes()) {
      const [, backend = "", state = ""] = /Server (\S+) is (\w+)/.exec(line) ?? [];
      last.set(backend, state);
    }
    return [...last.values()].every((state) => state === "UP");
  };
  return { port, changes, usesAll, stop: () => server.stop("SIGKILL", 0) };
}

/** A check may take as long as a busy machine needs for it: a backend that is lost by mistake loses its connections. */
const DEFAULTS = `
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 2s
  default-server inter 500ms fastinter 250ms fall 2 rise 1 on-marked-down shutdown-sessions
`;

function listenerText({ name, backends, checkPath, drains, checks = true }: Listener, port: number): string {
  // L7OKC: a backend with connections keeps them, and gets no new ones.
  const expected = `http-check expect status 200${drains === true ? " error-status L7OKC" : ""}`;
  const check = checkPath === undefined ? [] : [`option httpchk GET ${checkPath}`, expected];
  const servers = backends.map((one, at) => {
    const role = checkPath === undefined && at > 0 ? " backup" : "";
    const checked = checks ? ` check port ${one.checkPort}${role}` : "";
    return `server ${one.name} ${HOST}:${one.port}${checked}`;
  });
  return [`listen ${name}`, `bind ${HOST}:${port}`, ...check, ...servers].join("\n  ") + "\n";
}
