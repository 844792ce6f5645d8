import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { System } from "../system/start-system.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Runs the documented command for the workspace service's parked messages. Returns its output. */
export async function replayParked({ serviceDatabaseUrls }: System, ...what: string[]): Promise<string> {
  const args = ["run", "--silent", "replay-parked", "--", "--schema", "workspace", ...what];
  const env = { ...process.env, DATABASE_URL: serviceDatabaseUrls.workspace.url };
  return (await promisify(execFile)("npm", args, { cwd: ROOT, env })).stdout;
}

/** One message in the output of `--list`. */
export interface Listed {
  readonly id: string;
  readonly consumer: string;
  readonly type: string;
  readonly error: string;
  readonly tries: number;
  readonly replayedAt: string | null;
}

export async function listParked(system: System): Promise<Listed[]> {
  const lines = (await replayParked(system, "--list")).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Listed);
}
