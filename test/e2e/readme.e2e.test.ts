import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { joinTestStack } from "@cloud/local-stack/test-stack";
import { expect, test } from "@jest/globals";

const run = promisify(execFile);
const README = new URL("../../README.md", import.meta.url);

/** Returns the shell blocks of the README, unchanged. */
async function shellBlocks(): Promise<string[]> {
  const text = await readFile(README, "utf8");
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map((match) => match[1] ?? "");
}

test("the README's tour has the documented results", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tour-"));
  const stack = await joinTestStack();
  try {
    await mkdir(join(folder, ".local"));
    await writeFile(join(folder, ".local", "demo.json"), JSON.stringify(stack.demo));
    const [tour = ""] = await shellBlocks();
    const { stdout, stderr } = await run("bash", ["--norc", "-euc", tour], { cwd: folder });
    expect(stderr).toBe("");
    const [assignment = "", before, after, log = ""] = stdout.trim().split("\n");
    expect(JSON.parse(assignment)).toMatchObject({ deletedAt: null });
    expect([before, after]).toEqual(["1", "0"]);
    const actions = JSON.parse(log).data.map((event: { action: string }) => event.action);
    expect(actions.slice(0, 2)).toEqual(["create", "assign"]);
    for (const action of actions.slice(2)) {
      expect(action).toBe("unassign");
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the README contains only commands that exist", async () => {
  const text = await readFile(README, "utf8");
  const { scripts } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
  const contributing = await readFile(new URL("../../CONTRIBUTING.md", import.meta.url), "utf8");
  const named = [...(text + contributing).matchAll(/npm run ([\w:-]+)/g)].map((match) => match[1] ?? "");
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining([...new Set(named), "start", "test"]));
});
