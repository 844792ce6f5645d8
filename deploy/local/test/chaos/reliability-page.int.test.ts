import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const page = readFileSync(ROOT + "docs/reliability.md", "utf8");

/** The rows of the table of promises: number, and the runs that it names. */
const rows = [...page.matchAll(/^\| (\d+) \|.*$/gm)].map(([row, number]) => ({
  number: Number(number),
  runs: [...row.matchAll(/`--only ([\w-]+)`/g)].map(([, run]) => run),
}));

test("docs/reliability.md has every promise, each with its run", () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 17 }, (_, index) => index + 1));
  expect(rows.filter(({ runs }) => runs.length === 0)).toEqual([]);
});

test("it names every run, and no other", async () => {
  const names = new Set<string>();
  for await (const file of glob("{services,packages,deploy}/**/test/**/*.chaos.test.ts", { cwd: ROOT })) {
    names.add(basename(file, ".chaos.test.ts"));
  }
  expect(new Set(rows.flatMap(({ runs }) => runs))).toEqual(names);
});

const command = (...options: string[]) =>
  promisify(execFile)("npm", ["run", "--silent", "test:chaos", "--", ...options], { cwd: ROOT });

test("the command explains itself", async () => {
  expect((await command("--help")).stdout).toContain("npm run test:chaos -- --only kills");
});

test("it names the runs that there are to who asks for another", async () => {
  const stderr = expect.stringMatching(/^no run is named kill; there are black-holes, .*, kills, .*, wipes\n$/);
  await expect(command("--only", "kill")).rejects.toMatchObject({ code: 2, stderr });
});
