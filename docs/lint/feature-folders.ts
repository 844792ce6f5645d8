import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** Folders by name, each with the folders that its files import from. */
export type FolderGraph = ReadonlyMap<string, ReadonlySet<string>>;

const IMPORT = /from "(\.\.?\/[^"]+)"/g;

/** Reads which feature folders of a service's `src` import from which; tests beside the source do not count. */
export function readFolderGraph(src: string): FolderGraph {
  const graph = new Map<string, Set<string>>();
  for (const file of readdirSync(src, { recursive: true, encoding: "utf8" })) {
    const [folder, ...rest] = file.split(sep);
    if (folder === undefined || rest.length === 0 || !file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    const imported = graph.get(folder) ?? new Set();
    graph.set(folder, imported);
    for (const [, specifier = ""] of readFileSync(join(src, file), "utf8").matchAll(IMPORT)) {
      const [other, ...inside] = relative(src, join(src, dirname(file), specifier)).split(sep);
      if (other !== undefined && inside.length > 0 && other !== folder) imported.add(other);
    }
  }
  return graph;
}

/** Returns each pair of folders that reach each other, as `a <-> b`, in order. */
export function findCycles(graph: FolderGraph): string[] {
  const reaches = (from: string, to: string, seen: Set<string> = new Set()): boolean =>
    [...(graph.get(from) ?? [])].some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, to, seen);
    });
  const folders = [...graph.keys()].toSorted();
  return folders.flatMap((a) =>
    folders.filter((b) => a < b && reaches(a, b) && reaches(b, a)).map((b) => `${a} <-> ${b}`),
  );
}
