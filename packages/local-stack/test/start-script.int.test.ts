import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const SCRIPT = fileURLToPath(new URL("../start.sh", import.meta.url));

/** A folder with a `node` that ends as one does whose loader misses a library. */
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "start-"));
  const loader = "error while loading shared libraries: libatomic.so.1: cannot open shared object file";
  writeFileSync(join(folder, "node"), `#!/bin/sh\necho "node: ${loader}" >&2\nexit 127\n`, { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true }));

function startHelp(first: string, path: string, npmNode = process.execPath) {
  const env = { PATH: `${first}:${path}`, npm_node_execpath: npmNode };
  return spawnSync("/bin/sh", [SCRIPT, "--help"], { env, encoding: "utf8", timeout: 60_000 });
}

test("without libatomic, it starts with the Node.js that runs npm, and one line names the package", () => {
  const { status, stdout, stderr } = startHelp(folder, "/usr/bin:/bin");
  expect([status, stderr]).toEqual([
    0,
    "npm start: the Node.js of this project cannot run here, probably because libatomic is missing " +
      `(apt-get install libatomic1); using ${process.execPath} instead.\n`,
  ]);
  expect(stdout).toContain("npm start");
});

test("without libatomic, and with an older Node.js that runs npm, one line says both", () => {
  const old = join(folder, "old-node");
  const script = `process.exit(String(process.argv[1]).includes("process.versions.node") ? 1 : 0)`;
  writeFileSync(old, `#!/bin/sh\nexec ${process.execPath} -e '${script}' -- "$2"\n`, { mode: 0o755 });
  const { status, stdout, stderr } = startHelp(folder, "/usr/bin:/bin", old);
  expect([status, stdout, stderr]).toEqual([
    1,
    "",
    "npm start: the Node.js of this project cannot run here, probably because libatomic is missing " +
      `(apt-get install libatomic1), and ${old} is older than 24.\n`,
  ]);
});

test("control: with a Node.js that runs, it starts with that and prints no line", () => {
  const { status, stdout, stderr } = startHelp(dirname(process.execPath), "/usr/bin:/bin");
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("npm start");
});
