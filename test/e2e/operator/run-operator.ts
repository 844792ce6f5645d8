import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ServiceName, System } from "../../chaos/system/start-system.ts";

export interface OperatorResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one of the operator's commands of a service, with the environment variables of its program. */
export const runOperator = (system: System, service: ServiceName, ...args: readonly string[]) =>
  followOperator(system, service, args, () => undefined);

/** Runs a command likewise, and passes on what it writes to standard error meanwhile. */
export function followOperator(
  { environments }: System,
  service: ServiceName,
  args: readonly string[],
  onProgress: (text: string) => void,
): Promise<OperatorResult> {
  const program = fileURLToPath(new URL(`../../../services/${service}/src/operator.ts`, import.meta.url));
  const env = { PATH: process.env["PATH"], ...environments[service], RECONCILER_GRACE_MS: "500" };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
    child.stderr?.on("data", (chunk) => onProgress(String(chunk)));
  });
}
