import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ServiceName, System } from "../../chaos/system/start-system.ts";

export interface OperatorResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one of the operator's commands of a service, with the environment variables of its program. */
export function runOperator(
  { environments }: System,
  service: ServiceName,
  ...args: readonly string[]
): Promise<OperatorResult> {
  const program = fileURLToPath(new URL(`../../../services/${service}/src/operator.ts`, import.meta.url));
  const env = { PATH: process.env["PATH"], ...environments[service], RECONCILER_GRACE_MS: "500" };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}
