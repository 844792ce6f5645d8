import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Outcomes } from "./outcome.ts";

const CLIENT = fileURLToPath(new URL("open-loop.ts", import.meta.url));
const SINK = fileURLToPath(new URL("sink.ts", import.meta.url));

export interface Load {
  readonly url: string;
  /** The paths to request in turn. */
  readonly paths: readonly string[];
  readonly token: string;
  /** Requests a second; 0 is as many as the connections get answered. */
  readonly rate: number;
  readonly connections: number;
  readonly seconds: number;
}

/** Runs a client in a process of its own. */
export async function runClient({ paths, ...load }: Load): Promise<Outcomes> {
  const named = [...Object.entries(load), ...paths.map((path) => ["path", path])];
  const options = named.flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { stdout } = await promisify(execFile)(process.execPath, [CLIENT, ...options], { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout) as Outcomes;
}

/** Starts a server in a process of its own that refuses everything. */
export async function startSink() {
  const child = spawn(process.execPath, [SINK], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  const stop = async () => {
    const exited = once(child, "exit");
    child.stdin.end();
    await exited;
  };
  return { url: `http://127.0.0.1:${port.toString().trim()}`, stop };
}
