import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { COMPILE_CACHE } from "@cloud/testkit";
import type { Output } from "./control-plane.ts";

export const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** Runs a program to its end, at the top of the project. */
export function runProcess(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Output> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, env: { PATH: process.env["PATH"] ?? "", ...COMPILE_CACHE, ...env } };
    execFile(program, [...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** Runs what a service's image has as `operator.mjs`. */
export const runOperator = (service: string, args: readonly string[], env: Readonly<Record<string, string>>) =>
  runProcess(process.execPath, [`services/${service}/src/operator.ts`, ...args], env);
