import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Outcomes } from "./outcome.ts";

const CLIENT = fileURLToPath(new URL("open-loop.ts", import.meta.url));

export interface Load {
  readonly url: string;
  readonly path: string;
  readonly token: string;
  /** Requests a second; 0 is as many as the connections get answered. */
  readonly rate: number;
  readonly connections: number;
  readonly seconds: number;
}

/** Runs a client in a process of its own. */
export async function runClient(load: Load): Promise<Outcomes> {
  const options = Object.entries(load).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { stdout } = await promisify(execFile)(process.execPath, [CLIENT, ...options], { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout) as Outcomes;
}
