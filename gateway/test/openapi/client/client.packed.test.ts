import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startTestStack } from "@cloud/local-stack/test-stack";
import { installPackages } from "@cloud/testkit/packages";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const run = promisify(execFile);
const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ROOT = pathOf("../../../../");

let folder: string;
beforeAll(async () => {
  // Within the repository, so that the types of Node are found.
  await mkdir(join(ROOT, ".cache"), { recursive: true });
  folder = await mkdtemp(join(ROOT, ".cache/client-"));
  const installed = await installPackages(new URL("packages/", import.meta.url));
  await run("node", [pathOf("generate-client-process.ts"), join(ROOT, "gateway/openapi.json"), folder, installed]);
  await copyFile(pathOf("tour.mts"), join(folder, "tour.mts"));
  const options = { strict: true, module: "nodenext", target: "es2024", outDir: "dist", skipLibCheck: true };
  const lib = ["es2024", "dom", "dom.iterable"];
  const compilerOptions = { ...options, lib, types: ["node"], rootDir: "." };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts", "*.mts"] }));
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const compile = () =>
  run(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder]).then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );

test("a generated TypeScript client compiles, and a tour with it works", async () => {
  expect(await compile()).toBe("");
  const stack = await startTestStack();
  try {
    const { gateway, users, organizations } = stack.demo;
    const env = { GATEWAY: gateway, TOKEN: users.orgAdmin.token, ORGANIZATION: organizations[0]?.id ?? "" };
    const { stdout } = await run("node", [join(folder, "dist/tour.mjs")], { env: { ...process.env, ...env } });
    expect(stdout).toBe("toured\n");
  } finally {
    await stack.stop();
  }
}, 60_000);

test("control: the client has no field that the document does not have", async () => {
  await writeFile(
    join(folder, "wrong.mts"),
    'import { createWorkspace } from "./sdk.gen.js";\nexport const wrong = () => createWorkspace({ body: { name: "x" } });\n',
  );
  expect(await compile()).toContain("Property 'organizationId' is missing");
}, 60_000);
