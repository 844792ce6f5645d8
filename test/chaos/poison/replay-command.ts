import { runOperator } from "../runbooks/cluster/run-process.ts";
import type { System } from "../system/start-system.ts";

/** Runs the documented command for the workspace service's parked messages. Returns its output. */
export async function replayParked({ environments }: System, ...what: string[]): Promise<string> {
  const { code, stdout, stderr } = await runOperator("workspace", ["replay", ...what], environments.workspace);
  if (code !== 0) throw new Error(`exit code ${code}: ${stdout}${stderr}`);
  return stdout;
}

/** A message in the output of `--dry-run`, which lists the messages that were not replayed. */
export interface Listed {
  readonly id: string;
  readonly consumer: string;
  readonly type: string;
  readonly error: string;
  readonly tries: number;
}

export async function listParked(system: System): Promise<Listed[]> {
  const lines = (await replayParked(system, "--dry-run")).split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Listed);
}
