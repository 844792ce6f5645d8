import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  createStranger,
  findSnippets,
  followPage,
  listTarball,
  packPackage,
  type Stranger,
} from "@cloud/packing/testing";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";

const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

let tarball: string;
beforeAll(() => {
  tarball = packPackage("packages/transcoder");
}, 60_000);
afterAll(() => rmSync(dirname(tarball), { recursive: true, force: true }));

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
  let stranger: Stranger;
  beforeAll(async () => {
    stranger = await createStranger(version);
  }, 120_000);
  afterAll(() => stranger.deleteFolders());

  test("the README works, word for word, but for the name of the package", async () => {
    const node = await stranger.run(stranger.createFolder(), "node", ["--version"]);
    expect(node).toMatch(new RegExp(`^v${version}\\.`));
    expect(findSnippets(README).filter(({ kind }) => kind === "commands").length).toBeGreaterThan(1);
    const { printed, expected } = await followPage(stranger, README, { tarballs: { "@cloud/transcoder": tarball } });
    expect(printed).toBe(expected);
  }, 180_000);
});

test("its types compile in a strict TypeScript project", async () => {
  const stranger = await createStranger();
  try {
    const folder = stranger.createFolder();
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
    await stranger.run(folder, "npm", ["install", "--no-audit", "--no-fund", ...packages]);
    const printed = await stranger
      .run(folder, "npx", ["tsc", "-p", "."])
      .catch(({ stdout }: { stdout: string }) => stdout);
    expect(printed).toBe("");
  } finally {
    stranger.deleteFolders();
  }
}, 120_000);
