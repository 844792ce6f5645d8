import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { basename, join, matchesGlob, relative } from "node:path";
import { ignoredPaths, type Stages } from "./dockerfile.ts";
import { root } from "./programs.ts";

/** Executes in `folder` what the first stage of the Dockerfile executes in /app. Throws with the output of npm. */
export function buildByHand(stages: Stages, program: string, folder: string): void {
  const ignored = ignoredPaths();
  const isWanted = (path: string) => !ignored.some((glob) => matchesGlob(relative(root, path), glob));
  for (const { sources, target } of stages.copies) {
    for (const source of sources) {
      const name = target.endsWith("/") ? join(target, basename(source)) : target;
      cpSync(join(root, source), join(folder, name), { recursive: true, filter: isWanted });
    }
  }
  for (const line of stages.runs) {
    const env = { ...outerEnvironment(), PROGRAM: program, npm_config_prefer_offline: "true" };
    const { status, stdout, stderr } = spawnSync("sh", ["-c", line], { cwd: folder, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${line}\n${stdout}${stderr}`);
  }
}

/** Returns the environment without the project that `npm test` passes on: the npm of the image must not inherit it. */
function outerEnvironment(): Record<string, string | undefined> {
  const isKept = (name: string) => !/^(npm_|INIT_CWD$|NODE_ENV$|NODE_OPTIONS$)/i.test(name) || CONNECTION.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isKept(name)));
}

/** The settings for reaching a registry belong to the machine, so they are kept. */
const CONNECTION = /^npm_config_(registry|cafile|cache|userconfig|globalconfig|.*proxy)$/i;
