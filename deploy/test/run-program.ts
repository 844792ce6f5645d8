import { spawnSync } from "node:child_process";

/**
 * Runs a program that is to stop at its configuration, with these variables and no others, and returns the names of
 * the variables that it reports. Throws with its output if it stopped for another reason.
 */
export function complaintsOf(command: readonly string[], folder: string, env: Record<string, string>): string[] {
  const [program = "", ...args] = command;
  const path = process.env["PATH"] ?? "";
  const ended = spawnSync(program === "node" ? process.execPath : program, args, {
    cwd: folder,
    env: { PATH: path, NODE_ENV: "production", ...env },
    encoding: "utf8",
    timeout: 60_000,
  });
  if (!ended.stderr.includes("the configuration is not usable:")) {
    throw new Error(
      `${command.join(" ")} in ${folder} did not get to its configuration:\n${ended.stdout}${ended.stderr}`,
    );
  }
  return [...ended.stderr.matchAll(/^ {2}([A-Z][A-Z0-9_]*): /gm)].map(([, name = ""]) => name);
}
