/** `npm run advisories`: asks the registry for advisories on what the lock file installs. See docs/updating-dependencies.md. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { judgeAdvisories } from "./judge-advisories.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { stdout } = spawnSync("npm", ["audit", "--json", "--package-lock-only"], { cwd: ROOT, encoding: "utf8" });
const { exitCode, text } = judgeAdvisories(stdout);
process.stdout.write(text + "\n");
process.exitCode = exitCode;
