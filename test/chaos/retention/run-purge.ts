import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type RemovedProtection, without } from "@cloud/testkit";
import type { System } from "../system/start-system.ts";

const OPERATOR = fileURLToPath(new URL("../../../services/workspace/src/operator.ts", import.meta.url));

/** Runs the operator's command of the workspace service, with LOG_DAYS=365. Returns what it prints. */
export async function runPurge(
  { environments }: System,
  options: readonly string[],
  removed: readonly RemovedProtection[] = [],
): Promise<string> {
  const { preload, env } = without(removed);
  const args = [...preload.flatMap((file) => ["--import", file]), OPERATOR, "purge", ...options];
  const all = { PATH: process.env["PATH"], LOG_DAYS: "365", ...environments.workspace, ...env };
  return (await promisify(execFile)(process.execPath, args, { env: all })).stdout;
}
