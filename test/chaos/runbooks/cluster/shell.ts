import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@cloud/testkit";
import pg from "pg";
import type { Output } from "./control-plane.ts";
import { ROOT } from "./run-process.ts";

type Variables = Readonly<Record<string, string>>;
type Row = Readonly<Record<string, unknown>>;

/** The operator's shell: what one block sets, the next one has. */
export interface Shell {
  set(variables: Variables): void;
  get(name: string): string;
  /** Runs a block of `sh`, which stops at the first command that fails. */
  run(block: string): Promise<Output>;
  /** Runs a block of `sql` as the superuser, with the shell's variables. Returns the rows of the last statement. */
  query(block: string): Promise<Row[]>;
}

/** The limit for a block: longer than any block takes, rollouts included. */
const BLOCK_MS = 60_000;

export function openShell(env: Variables, databaseUrl: string): Shell {
  const file = join(testFolder(), "variables");
  writeFileSync(file, "");
  const set = (variables: Variables) => {
    const lines = Object.entries(variables).map(
      ([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`,
    );
    writeFileSync(file, lines.join(""), { flag: "a" });
  };
  const get = (name: string) => {
    const values = [...readFileSync(file, "utf8").matchAll(new RegExp(`^export ${name}='(.*)'$`, "gm"))];
    const value = values.at(-1)?.[1];
    if (value === undefined) throw new Error(`the shell has no variable ${name}`);
    return value;
  };
  return {
    set,
    get,
    run: (block) => {
      const script = `set -ea\n. "$VARIABLES"\n${block}\nexport -p >"$VARIABLES"\n`;
      const options = { cwd: ROOT, env: { ...env, VARIABLES: file }, timeout: BLOCK_MS };
      return new Promise((resolve) => {
        execFile("sh", ["-c", script], options, (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
        });
      });
    },
    query: async (block) => {
      const text = block
        .replaceAll(/(?<!:):'(\w+)'/g, (_all, name: string) => pg.escapeLiteral(get(name.toUpperCase())))
        .replaceAll(/(?<!:):"(\w+)"/g, (_all, name: string) => pg.escapeIdentifier(get(name.toUpperCase())))
        .replaceAll(/(?<!:):([a-z]\w*)/g, (_all, name: string) => get(name.toUpperCase()));
      const client = new pg.Client({ connectionString: databaseUrl, application_name: "psql" });
      await client.connect();
      try {
        const results = [await client.query<Row>(text)].flat();
        return results.at(-1)?.rows ?? [];
      } finally {
        await client.end();
      }
    },
  };
}
