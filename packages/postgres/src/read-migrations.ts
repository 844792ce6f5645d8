import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** A folder of files `NNNN_name.sql`; the name tells the folders of one schema apart. */
export interface MigrationSource {
  folder: string;
  name: string;
}

/** The migrations of a folder in order. Throws on a `.sql` file of another form and on a number used twice. */
export async function readMigrations(folder: string): Promise<{ name: string; sql: string }[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).toSorted();
  const numbers = files.map((file) => {
    const number = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1];
    if (number === undefined) throw new Error(`a migration is named NNNN_name.sql: ${path.join(folder, file)}`);
    return number;
  });
  const twice = numbers.find((number, index) => numbers.indexOf(number) !== index);
  if (twice !== undefined) throw new Error(`two migrations have the number ${twice} in ${folder}`);
  return Promise.all(files.map(async (file) => ({ name: file, sql: await readFile(path.join(folder, file), "utf8") })));
}
