import { glob } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** A run of a kind: `--only` selects it by its name. */
export interface Run {
  /** The name of its files, without what follows; of a race `races/<name>`. */
  readonly name: string;
  /** Relative to the root. Two, where one process and the whole system play the same race. */
  readonly files: readonly string[];
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Files of other suites that are runs of a kind, too: the gate plays the races of services, only smaller. */
const SHARED: Readonly<Record<string, readonly string[]>> = { chaos: ["services/*/test/races/*.int.test.ts"] };

/** Returns the runs of a kind, by name. */
export async function findRuns(kind: string): Promise<Run[]> {
  const patterns = [`{services/*/test,test}/**/*.${kind}.test.ts`, ...(SHARED[kind] ?? [])];
  const files: string[] = [];
  for await (const file of glob(patterns, { cwd: ROOT })) files.push(file);
  const runs = [...Map.groupBy(files.toSorted(), nameOfRun)].map(([name, ofName]) => ({ name, files: ofName }));
  return runs.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the name of the run that a test file belongs to. */
export function nameOfRun(file: string): string {
  const name = basename(file).replace(/\.\w+\.test\.ts$/, "");
  return basename(dirname(file)) === "races" ? `races/${name}` : name;
}

/** Returns whether a name selects a run: it is the name of the run, or of its group. */
export function selects(wanted: string, name: string): boolean {
  return name === wanted || name.startsWith(`${wanted}/`);
}
