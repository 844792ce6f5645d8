import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { createStranger, followPage, listTarball, packPackage, type Stranger } from "@cloud/packing/testing";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const FOLDERS = { "@cloud/client": "packages/client", "@cloud/proto": "proto" };
const READMES = { "@cloud/client": read("../README.md"), "@cloud/proto": read("../../../proto/README.md") };

let stack: OwnTestStack;
let tarballs: Record<keyof typeof FOLDERS, string>;
beforeAll(async () => {
  const [client, proto] = [packPackage(FOLDERS["@cloud/client"]), packPackage(FOLDERS["@cloud/proto"])];
  tarballs = { "@cloud/client": client, "@cloud/proto": proto };
  stack = await startTestStack();
}, 120_000);
afterAll(async () => {
  for (const tarball of Object.values(tarballs ?? {})) rmSync(dirname(tarball), { recursive: true, force: true });
  await stack?.stop();
});

describe.each(Object.keys(FOLDERS) as (keyof typeof FOLDERS)[])("%s", (name) => {
  test("the tarball contains compiled code with its types, the licence, and no tests", () => {
    const files = listTarball(tarballs[name]);
    const code = files.filter((file) => file.startsWith("dist/"));
    expect(code.filter((file) => !/(?<!\.test)\.(js|d\.ts)$/.test(file))).toEqual([]);
    const compiled = code.filter((file) => file.endsWith(".js")).map((file) => file.replace(/\.js$/, ".d.ts"));
    expect(compiled.length).toBeGreaterThan(5);
    expect(code.filter((file) => file.endsWith(".d.ts"))).toEqual(compiled.sort());
    const others = files.filter((file) => !file.startsWith("dist/") && !file.endsWith(".proto"));
    const sources = name === "@cloud/proto" ? ["buf.yaml"] : [];
    expect(others).toEqual(["LICENSE", "README.md", ...sources, "package.json"]);
  });
});

describe.each(["24", "26"])("with Node %s", (version) => {
  let stranger: Stranger;
  beforeAll(async () => {
    stranger = await createStranger(version);
  }, 120_000);
  afterAll(() => stranger?.deleteFolders());

  test.each(Object.keys(READMES) as (keyof typeof READMES)[])(
    "the README of %s works, word for word, but for the names of the packages",
    async (name) => {
      const env = { IDENTITY_URL: stack.services.identity, TOKEN: stack.demo.users.orgAdmin.token };
      const { printed, expected } = await followPage(stranger, READMES[name], { tarballs, env });
      expect(expected).not.toBe("");
      expect(printed).toBe(expected);
    },
    180_000,
  );
});

test("a strict TypeScript project takes their types", async () => {
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
      'import { createClient } from "@cloud/client";\n' +
        'import { createResilientTransport } from "@cloud/client/transport";\n' +
        'import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";\n' +
        'const workspaces = createClient(WorkspaceService, { url: "http://127.0.0.1:8081", token: "cst_" });\n' +
        "export const name = async (): Promise<string | undefined> =>\n" +
        '  (await workspaces.getWorkspace({ id: "1" })).workspace?.name;\n' +
        "// @ts-expect-error An id is a text.\n" +
        "export const wrong = () => workspaces.getWorkspace({ id: 1 });\n" +
        "export const wrap = createResilientTransport;\n",
    );
    const packages = [...Object.values(tarballs), "@connectrpc/connect-node", "typescript@5.9.3", "@types/node@24"];
    await stranger.run(folder, "npm", ["install", "--no-audit", "--no-fund", ...packages]);
    const printed = await stranger
      .run(folder, "npx", ["tsc", "-p", "."])
      .catch(({ stdout }: { stdout: string }) => stdout);
    expect(printed).toBe("");
  } finally {
    stranger.deleteFolders();
  }
}, 120_000);
