import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A user of packed packages: has folders outside of this repository, and one version of Node. */
export interface Stranger {
  /** Creates an empty folder outside of this repository. */
  createFolder(): string;
  /** Runs a program in a folder, and returns what it prints. Rejects if it fails. */
  run(folder: string, program: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string>;
  /** Deletes all folders that it created. */
  deleteFolders(): void;
}

/** Creates a stranger with a version of Node, by default the version of this process. */
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
    deleteFolders: () => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

const run = promisify(execFile);

/**
 * Packs a package, named by its folder (`packages/client`), and returns the path of the tarball, in a new folder. Packs
 * a copy: packing replaces package.json, by which other tests import the sources meanwhile.
 */
export function packPackage(folder: string): string {
  // A folder of its own: several tests pack the same package at once.
  const places = join(ROOT, ".cache/packing");
  mkdirSync(places, { recursive: true });
  const place = mkdtempSync(join(places, basename(folder) + "-"));
  const copy = join(place, folder);
  cpSync(join(ROOT, folder), copy, { recursive: true });
  for (const path of READ.filter((path) => path !== folder)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(place, path));
  }
  const target = mkdtempSync(join(tmpdir(), "packed-"));
  const PATH = join(ROOT, "node_modules/.bin") + delimiter + process.env["PATH"];
  const args = ["pack", "--json", "--pack-destination", target];
  try {
    execFileSync("npm", args, { cwd: copy, env: { ...process.env, PATH }, stdio: ["ignore", "ignore", "inherit"] });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  const [tarball = ""] = readdirSync(target);
  return join(target, tarball);
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Files that the scripts of a package read beside its own folder. */
const READ = ["tsconfig.base.json", "proto", "packages/packing"];

/** Returns the paths of the files in a tarball, in the folder `package`. */
export function listTarball(tarball: string): string[] {
  const lines = execFileSync("tar", ["tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => line.replace(/^package\//, "")).sort();
}

interface Followed {
  /** The output of the commands, in the order of the page. */
  readonly printed: string;
  /** The output that the page promises. */
  readonly expected: string;
}

/**
 * Follows a page in a new folder of the stranger: writes its files, types its commands. Names of packages after
 * `npm install` are replaced by tarballs. Rejects if a command fails. Returns the output of the commands for which the
 * page promises one, and that output.
 */
export async function followPage(
  stranger: Stranger,
  page: string,
  { tarballs, env = {} }: { readonly tarballs: Readonly<Record<string, string>>; readonly env?: NodeJS.ProcessEnv },
): Promise<Followed> {
  const folder = stranger.createFolder();
  const printed: string[] = [];
  const expected: string[] = [];
  for (const snippet of findSnippets(page)) {
    if (snippet.kind === "file") {
      mkdirSync(dirname(join(folder, snippet.name)), { recursive: true });
      writeFileSync(join(folder, snippet.name), snippet.text);
      continue;
    }
    // Programs that a block starts in the background end with it.
    const commands = `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${installTarballs(snippet.text, tarballs)}`;
    const output = await stranger.run(folder, "bash", ["--norc", "-euo", "pipefail", "-c", commands], env);
    if (snippet.prints === undefined) continue;
    printed.push(output.trimEnd());
    expected.push(snippet.prints.trimEnd());
  }
  return { printed: printed.join("\n\n"), expected: expected.join("\n\n") };
}

/**
 * Returns what a reader of a Markdown page does, in its order. A block whose paragraph before ends with a file's name
 * in backticks and a colon is written to that file; a block of `sh` is typed; a block of `text` after it is what it
 * prints. Other blocks are read only.
 */
export function findSnippets(page: string): Snippet[] {
  const blocks = page.matchAll(/^(?<before>[^\n]*)\n\n```(?<language>\w*)[^\n]*\n(?<text>.*?)^```$/gms);
  const snippets: Snippet[] = [];
  for (const { groups: { before = "", language = "", text = "" } = {} } of blocks) {
    const [, name] = /`([\w./-]+\.\w+)`:$/.exec(before) ?? [];
    const last = snippets.at(-1);
    if (name !== undefined) snippets.push({ kind: "file", name, text });
    else if (language === "sh") snippets.push({ kind: "commands", text, prints: undefined });
    else if (language === "text" && last?.kind === "commands" && last.prints === undefined)
      snippets.splice(-1, 1, { ...last, prints: text });
  }
  return snippets;
}

/** A step of a page: the reader writes a file, or types commands and compares what they print. */
type Snippet =
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | { readonly kind: "commands"; readonly text: string; readonly prints: string | undefined };

function installTarballs(commands: string, tarballs: Readonly<Record<string, string>>): string {
  return commands.replace(/^npm install .*$/gm, (line) =>
    line.replace(/(?<= )@cloud\/[\w-]+/g, (name) => tarballs[name] ?? name),
  );
}
