/**
 * `npm run advisories`: asks the registry for advisories on what the lock files install. See
 * docs/updating-dependencies.md.
 */
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { judgeAdvisories } from "./judge-advisories.ts";
import { lockFilesOfTests } from "./lock-file.ts";

for (const file of ["package-lock.json", ...lockFilesOfTests]) {
  const cwd = dirname(fileURLToPath(new URL(`../../${file}`, import.meta.url)));
  const { stdout } = spawnSync("npm", ["audit", "--json", "--package-lock-only"], { cwd, encoding: "utf8" });
  const { exitCode, text } = judgeAdvisories(stdout);
  process.stdout.write(`${file}: ${text}\n`);
  process.exitCode = Math.max(exitCode, Number(process.exitCode ?? 0));
}
