import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findSnippets } from "./find-snippets.ts";
import type { Stranger } from "./stranger.ts";

export interface Followed {
  /** What the commands printed, in the order of the page. */
  readonly printed: string;
  /** What differs from what the page says that they print. */
  readonly expected: string;
}

/**
 * Does what a page says, in a new folder of the stranger: writes its files, types its commands. Names of packages after
 * `npm install` are replaced by tarballs. Rejects if a command fails. Returns what was printed where the page says what is
 * printed, and what the page says.
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
    // What a block starts in the background ends with it.
    const commands = `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${installTarballs(snippet.text, tarballs)}`;
    const output = await stranger.run(folder, "bash", ["--norc", "-euo", "pipefail", "-c", commands], env);
    if (snippet.prints === undefined) continue;
    printed.push(output.trimEnd());
    expected.push(snippet.prints.trimEnd());
  }
  return { printed: printed.join("\n\n"), expected: expected.join("\n\n") };
}

function installTarballs(commands: string, tarballs: Readonly<Record<string, string>>): string {
  return commands.replace(/^npm install .*$/gm, (line) =>
    line.replace(/(?<= )@cloud\/[\w-]+/g, (name) => tarballs[name] ?? name),
  );
}
