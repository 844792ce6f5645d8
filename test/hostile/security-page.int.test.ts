import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { findRuns } from "../../packages/testkit/jest/find-runs.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(ROOT + "docs/security.md", "utf8");

/** The rows of the table of promises: number, and the runs in it. */
const rows = [...page.matchAll(/^\| (\d+) \|.*$/gm)].map(([row, number]) => ({
  number: Number(number),
  runs: [...row.matchAll(/`--only ([\w-]+)`/g)].map(([, run]) => run),
}));

test("docs/security.md numbers its promises, and each has its run", () => {
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
  expect(rows.filter(({ runs }) => runs.length !== 1)).toEqual([]);
});

test("it names every run, and no other", async () => {
  expect(new Set(rows.flatMap(({ runs }) => runs))).toEqual(
    new Set((await findRuns("hostile")).map(({ name }) => name)),
  );
});

const command = (...options: string[]) =>
  promisify(execFile)("npm", ["run", "--silent", "test:hostile", "--", ...options], { cwd: ROOT });

test("the command prints its usage", async () => {
  expect((await command("--help")).stdout).toContain("npm run test:hostile -- --only rest-fuzz");
});

test("it lists the existing runs if another one is requested", async () => {
  const stderr = expect.stringMatching(/^no run is named sqll; there are failed-events, .*, tenants, value-limits\n$/);
  await expect(command("--only", "sqll")).rejects.toMatchObject({ code: 2, stderr });
});
