import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import type { Figure } from "../harness/figures.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const bench = (...options: string[]) =>
  promisify(execFile)("npm", ["run", "--silent", "bench", "--", ...options], { cwd: ROOT, maxBuffer: 2 ** 24 });

// It compares no figure: CI shows that each part starts its programs, that peers respond with the same, and that all
// requests succeed.
test.each([
  ["gateway"],
  ["path"],
  ["rpc"],
  ["relay"],
  ["start"],
  ["load"],
  ["growth"],
  ["watches"],
  ["ablate", "--only", "nothing"],
])(
  "the part %s measures at its smallest size",
  async (part, ...options) => {
    const { stdout } = await bench(part, "--small", ...options);
    const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
    const figures = lines.map((line) => JSON.parse(line) as Figure);
    expect(figures.length).toBeGreaterThan(0);
    for (const figure of figures) expect(figure).toMatchObject({ part, small: true, rounds: 1 });
  },
  300_000,
);

test("the command prints its usage", async () => {
  expect((await bench("--help")).stdout).toContain("npm run bench -- path gateway");
});

test("it lists the existing parts if another one is requested", async () => {
  const stderr = expect.stringContaining("no part is named paths; there are gateway, path,");
  await expect(bench("paths")).rejects.toMatchObject({ code: 2, stderr });
});
