import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** A folder of files `NNNN_name.sql`; the name distinguishes the folders of one schema. */
export interface MigrationSource {
  folder: string;
  name: string;
}

export interface Migration {
  /** The file's name. */
  name: string;
  sql: string;
  /** SHA-256 of the text, in hexadecimal. */
  checksum: string;
}

/** Reads the migrations of a folder, in order. Throws on a malformed name of a `.sql` file and a duplicate number. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).toSorted();
  const numbers = files.map((file) => {
    const number = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1];
    if (number === undefined) throw new Error(`a migration is named NNNN_name.sql: ${path.join(folder, file)}`);
    return number;
  });
  const twice = numbers.find((number, index) => numbers.indexOf(number) !== index);
  if (twice !== undefined) throw new Error(`two migrations have the number ${twice} in ${folder}`);
  return Promise.all(
    files.map(async (name) => {
      const sql = await readFile(path.join(folder, name), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}
