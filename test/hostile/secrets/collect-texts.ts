import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { currentTestRun } from "@cloud/testkit";
import pg from "pg";
import type { System } from "../../chaos/system/start-system.ts";

/** The texts that can be read of a running system without being one of its programs, by where each is. */
export type Texts = Readonly<Record<string, string>>;

/** Reads the logs, the command lines of all processes, the metrics, and each row of each table. Linux only. */
export async function collectTexts(system: System): Promise<Texts> {
  return { ...readLogs(), ...readCommandLines(), ...(await readMetrics(system)), ...(await readTables(system)) };
}

/** Reads the logs of the programs, Postgres and nats-server: they write below the folder of the test run. */
function readLogs(): Texts {
  const { folder } = currentTestRun();
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".log"));
  return Object.fromEntries(names.map((name) => ["log " + name, readIfPresent(join(folder, name))]));
}

function readCommandLines(): Texts {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return Object.fromEntries(pids.map((pid) => ["command line " + pid, readIfPresent(`/proc/${pid}/cmdline`)]));
}

async function readMetrics({ programs }: System): Promise<Texts> {
  const pages = programs.map(async ({ name, operatorUrl }) => {
    const page = await (await fetch(operatorUrl + "/metrics")).text();
    return ["metrics of " + name, page] as const;
  });
  return Object.fromEntries(await Promise.all(pages));
}

const TABLES = `
  select format('%I.%I', table_schema, table_name) as name
  from information_schema.tables
  where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`;

/** Each row as text: numbers, JSON and arrays as they are, bytes in hex. */
async function readTables({ databaseUrl }: System): Promise<Texts> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on("error", () => undefined); // the server may stop first
  await client.connect();
  try {
    const texts: Record<string, string> = {};
    for (const { name } of (await client.query<{ name: string }>(TABLES)).rows) {
      // biome-ignore lint/plugin: the name is one that Postgres has quoted
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      texts["table " + name] = rows.map(({ row }) => row).join("\n");
    }
    return texts;
  } finally {
    await client.end();
  }
}

/** A process may have ended, and a log may have been deleted with its server. */
function readIfPresent(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
