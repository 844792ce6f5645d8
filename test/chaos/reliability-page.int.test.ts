import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { findRuns, selects } from "../../packages/testkit/jest/find-runs.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(ROOT + "docs/reliability.md", "utf8");

/** The rows of the table of promises: number, and the runs in it. */
const rows = [...page.matchAll(/^\| (\d+) \|.*$/gm)].map(([row, number]) => ({
  number: Number(number),
  runs: [...row.matchAll(/`--only ([\w/-]+)`/g)].map(([, run = ""]) => run),
}));

test("docs/reliability.md has every promise, each with its run", () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 35 }, (_, index) => index + 1));
  expect(rows.filter(({ runs }) => runs.length === 0)).toEqual([]);
});

test("it names every run, by its name or its group, and no other", async () => {
  const names = [...(await findRuns("chaos")), ...(await findRuns("cluster"))].map(({ name }) => name);
  const named = rows.flatMap(({ runs }) => runs);
  expect(names.filter((name) => !named.some((run) => selects(run, name)))).toEqual([]);
  expect(named.filter((run) => !names.some((name) => selects(run, name)))).toEqual([]);
});

test("the races of services are runs, each in the files of one name", async () => {
  const races = (await findRuns("chaos")).filter(({ name }) => selects("races", name));
  const lastWorkspace = races.find(({ name }) => name === "races/last-workspace");
  expect(lastWorkspace?.files).toEqual([
    "services/workspace/test/races/last-workspace.int.test.ts",
    "test/chaos/races/last-workspace.chaos.test.ts",
  ]);
});

const command = (...options: string[]) =>
  promisify(execFile)("npm", ["run", "--silent", "test:chaos", "--", ...options], { cwd: ROOT });

test("the command prints its usage", async () => {
  expect((await command("--help")).stdout).toContain("npm run test:chaos -- --only kills");
});

test("it lists the existing runs if another one is requested", async () => {
  const stderr = expect.stringMatching(
    /^no run is named kill; there are black-holes, .*, kills, .*, wipes, wrong-database\n$/,
  );
  await expect(command("--only", "kill")).rejects.toMatchObject({ code: 2, stderr });
});
