import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

/** Runs a statement as superuser of the Postgres that `npm start` runs on this folder. */
export async function queryLocal<Row extends pg.QueryResultRow>(folder: string, text: string): Promise<Row[]> {
  const read = (path: string) => readFileSync(join(folder, "postgres", path), "utf8");
  const port = Number(read("cluster/postmaster.pid").split("\n")[3]);
  const password = read("superuser-password").trim();
  const client = new pg.Client({ host: "127.0.0.1", port, user: "postgres", password, database: "cloud" });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Counts the demos: each has one organization of this name. */
export async function countDemos(folder: string): Promise<number> {
  const text = "select count(*)::int as demos from identity.organizations where name = 'Acme'";
  const [row] = await queryLocal<{ demos: number }>(folder, text);
  return row?.demos ?? 0;
}
