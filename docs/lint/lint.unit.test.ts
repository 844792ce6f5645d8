// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the planted lines are source text.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const folder = fileURLToPath(new URL(".", import.meta.url));
const biome = path.join(folder, "../../node_modules/@biomejs/biome/bin/biome");

/** Returns the lines of `source` that a rule of this folder reports. */
async function reportedLines(rule: string, source: readonly string[]): Promise<string[]> {
  await using resources = new AsyncDisposableStack();
  const place = await mkdtemp(path.join(tmpdir(), "lint-"));
  resources.defer(() => rm(place, { recursive: true }));
  const config = { plugins: [path.join(folder, rule)], linter: { rules: { preset: "none" } } };
  await writeFile(path.join(place, "biome.json"), JSON.stringify(config));
  await writeFile(path.join(place, "planted.ts"), source.join("\n") + "\n");
  const args = [biome, "lint", "--reporter=github", "--max-diagnostics=none", "."];
  const output = await new Promise<string>((resolve) =>
    execFile(process.execPath, args, { cwd: place }, (_error, stdout, stderr) => resolve(stdout + stderr)),
  );
  return [...output.matchAll(/^::error title=plugin,.*?,line=(\d+),/gm)].map(
    (match) => source[Number(match[1]) - 1] ?? "",
  );
}

test("no-expression-in-query refuses what puts a value into the text of a statement", async () => {
  const refused = [
    'db.query("select 1 where name = \'" + name + "\'");',
    'db.query("select 1 from " + table, [id]);',
    'tx.query<Row>(selectLive + " for share", [id]);',
    "db.query(`select 1 where name = '${name}'`);",
    "client.query<{ id: string }>(`select id from ${table}`, []);",
    'db.query("select 1 from ".concat(table));',
    'db.query("select 1 from TABLE".replace("TABLE", table));',
    'db.query(["select 1 from", table].join(" "));',
    'db.query("select 1" as SqlText);',
  ];
  const accepted = [
    "db.query(sql`select 1`);",
    "db.query(sql`select ${columns} from notes where id = $1`, [first + second]);",
    "db.query<Row>(selectLive, [`id ${id}`]);",
    "log.info(`query ${id}`);",
  ];
  expect(await reportedLines("no-expression-in-query.grit", [...refused, ...accepted])).toEqual(refused);
});
