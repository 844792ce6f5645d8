import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Names compiled files in the declarations of a folder: the compiler leaves the names of sources there. */
export function nameCompiledFiles(folder: string): void {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"));
  for (const name of names) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, "utf8").replace(/(?<="\.{1,2}\/[^"\n]*)\.ts(?=")/g, ".js"));
  }
}
