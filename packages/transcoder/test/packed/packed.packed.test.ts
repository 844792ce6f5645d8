import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { listTarball, packTranscoder } from "./pack.ts";
import { findSnippets } from "./snippets.ts";

const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const run = promisify(execFile);

let tarball: string;
const folders: string[] = [];

beforeAll(() => {
  tarball = packTranscoder();
}, 60_000);
afterAll(() => {
  for (const folder of [...folders, dirname(tarball)]) rmSync(folder, { recursive: true, force: true });
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stranger-"));
  folders.push(folder);
  return folder;
}

test("the tarball contains compiled code with its types, the licence, and no tests", () => {
  const files = listTarball(tarball);
  expect(files).toEqual(
    expect.arrayContaining(["LICENSE", "README.md", "package.json", "proto/google/api/http.proto"]),
  );
  const code = files.filter((file) => file.startsWith("dist/"));
  expect(code.filter((file) => !/(?<!\.test)\.(js|d\.ts)$/.test(file))).toEqual([]);
  const compiled = code.filter((file) => file.endsWith(".js")).map((file) => file.replace(/\.js$/, ".d.ts"));
  expect(code.filter((file) => file.endsWith(".d.ts"))).toEqual(compiled.sort());
  const others = files.filter((file) => !/^(dist|docs|proto)\//.test(file));
  expect(others).toEqual(["LICENSE", "README.md", "package.json"]);
});

describe.each(["24", "26"])("with Node %s", (version) => {
  let PATH: string;
  beforeAll(async () => {
    // The package has to run its script, which links the binary.
    const tools = emptyFolder();
    writeFileSync(join(tools, "package.json"), JSON.stringify({ private: true, allowScripts: { node: true } }));
    await run("npm", ["install", "--no-audit", "--no-fund", `node@${version}`], { cwd: tools });
    PATH = join(tools, "node_modules/.bin") + delimiter + process.env["PATH"];
  }, 120_000);

  test("the README works, word for word, but for the name of the package", async () => {
    const folder = emptyFolder();
    const env = { ...process.env, PATH, NODE_OPTIONS: "" };
    const { stdout } = await run("node", ["--version"], { cwd: folder, env });
    expect(stdout).toMatch(new RegExp(`^v${version}\\.`));
    const snippets = findSnippets(README);
    expect(snippets.filter(({ kind }) => kind === "commands").length).toBeGreaterThan(1);
    for (const snippet of snippets) {
      if (snippet.kind === "file") {
        mkdirSync(dirname(join(folder, snippet.name)), { recursive: true });
        writeFileSync(join(folder, snippet.name), snippet.text);
        continue;
      }
      const text = snippet.text.replace(/(?<=^npm install .*)@cloud\/transcoder\b/gm, tarball);
      // What a block starts in the background ends with it.
      const commands = `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${text}`;
      const { stdout: printed } = await run("bash", ["--norc", "-euo", "pipefail", "-c", commands], {
        cwd: folder,
        env,
      });
      if (snippet.prints !== undefined) expect(printed.trimEnd()).toBe(snippet.prints.trimEnd());
    }
  }, 180_000);
});

test("its types are those that a strict TypeScript project takes", async () => {
  const folder = emptyFolder();
  const options = {
    strict: true,
    module: "nodenext",
    target: "es2024",
    noEmit: true,
    skipLibCheck: false,
    types: ["node"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options }));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  writeFileSync(
    join(folder, "use.ts"),
    'import { createTranscoder } from "@cloud/transcoder";\nimport { describeApi } from "@cloud/transcoder/openapi";\n' +
      "export const listener: (...given: never[]) => unknown = createTranscoder;\nexport const describe: unknown = describeApi;\n",
  );
  const packages = [tarball, "typescript@5.9.3", "@types/node@24"];
  await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder });
  const { stdout } = await run("npx", ["tsc", "-p", "."], { cwd: folder }).catch((error) => error);
  expect(stdout).toBe("");
}, 120_000);
