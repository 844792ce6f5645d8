import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { createStranger, followPage, packPackage, type Stranger } from "@cloud/packing/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const PAGE = readFileSync(new URL("../../../docs/clients.md", import.meta.url), "utf8");
/** Debian's, for which its packages are. */
const PYTHON = "/usr/bin/python3";

let stack: OwnTestStack;
let stranger: Stranger;
let tarballs: Readonly<Record<string, string>> = {};
beforeAll(async () => {
  requirePython();
  tarballs = { "@cloud/client": packPackage("packages/client"), "@cloud/proto": packPackage("proto") };
  [stack, stranger] = await Promise.all([startTestStack(), createStranger()]);
}, 120_000);
afterAll(async () => {
  for (const tarball of Object.values(tarballs)) rmSync(dirname(tarball), { recursive: true, force: true });
  stranger?.deleteFolders();
  await stack?.stop();
});

function requirePython(): void {
  try {
    execFileSync(PYTHON, ["-c", "import grpc, google.protobuf"], { stdio: "ignore" });
    execFileSync("protoc", ["--version"], { stdio: "ignore" });
    execFileSync("which", ["grpc_python_plugin"], { stdio: "ignore" });
  } catch {
    throw new Error(
      "apt-get install --no-install-recommends python3-grpcio python3-protobuf protobuf-compiler protobuf-compiler-grpc",
    );
  }
}

test("docs/clients.md works, word for word, but for the names of the packages", async () => {
  const tools = stranger.createFolder();
  symlinkSync(PYTHON, join(tools, "python3"));
  const { demo } = stack;
  const env = {
    PATH: tools + delimiter + process.env["PATH"],
    GATEWAY_URL: demo.gateway,
    IDENTITY_URL: demo.services.identity,
    WORKSPACE_URL: demo.services.workspace,
    TOKEN: demo.users.orgAdmin.token,
    ORGANIZATION: demo.organizations[0]?.id,
  };
  const { printed, expected } = await followPage(stranger, PAGE, { tarballs, env });
  expect(printed).toBe(expected);
}, 300_000);
