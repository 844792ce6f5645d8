import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A user of packed packages: has folders outside of this repository, and one version of Node. */
export interface Stranger {
  /** Creates an empty folder outside of this repository. */
  createFolder(): string;
  /** Runs a program in a folder, and returns what it prints. Rejects if it fails. */
  run(folder: string, program: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string>;
  /** Deletes the folders. */
  leave(): void;
}

/** Installs a version of Node for a stranger; that of this process if absent. */
export async function createStranger(version?: string): Promise<Stranger> {
  const folders: string[] = [];
  const createFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), "stranger-"));
    folders.push(folder);
    return folder;
  };
  let PATH = process.env["PATH"];
  if (version !== undefined) {
    const tools = createFolder();
    // The package has to run its script, which links the binary.
    writeFileSync(join(tools, "package.json"), JSON.stringify({ private: true, allowScripts: { node: true } }));
    await run("npm", ["install", "--no-audit", "--no-fund", `node@${version}`], { cwd: tools });
    PATH = join(tools, "node_modules/.bin") + delimiter + PATH;
  }
  return {
    createFolder,
    run: async (folder, program, args, env = {}) => {
      const options = { cwd: folder, env: { ...process.env, PATH, NODE_OPTIONS: "", ...env }, maxBuffer: 2 ** 24 };
      return (await run(program, args, options)).stdout;
    },
    leave: () => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}
