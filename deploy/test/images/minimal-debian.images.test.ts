import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createStranger, type Stranger } from "@cloud/packing/testing";
import { takeStablePort, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { root } from "../programs.ts";
import { authorityFile, debianMirror, npmFolder, npmSettings } from "./build-image.ts";
import { run } from "./buildah.ts";

// The first commands of README.md on a Debian with no more than its essential packages, where npm's Node cannot run.

const folder = join(root, ".cache/images/minimal-debian");
/** The last release of Node whose package is not linked with libatomic. */
const NODE = "24";

let stranger: Stranger | undefined;
beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(root, ".cache/images"), { recursive: true });
  const options = ["--mode=root", "--variant=minbase", "--include=ca-certificates"];
  run("mmdebstrap", [...options, "bookworm", folder, ...debianMirror()]);
  stranger = await createStranger(NODE);
  const node = await stranger.run(stranger.createFolder(), "node", ["-p", "process.execPath"]);
  copyFileSync(node.trim(), join(folder, "usr/local/bin/node"));
  cpSync(npmFolder(), join(folder, "usr/local/lib/node_modules/npm"), { recursive: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(folder, "usr/local/bin/npm"));
  mkdirSync(join(folder, "usr/local/etc"), { recursive: true });
  copyFileSync(npmSettings(), join(folder, "usr/local/etc/npmrc"));
  const authority = authorityFile();
  for (const file of ["/etc/hosts", "/etc/resolv.conf", ...(authority === undefined ? [] : [authority])]) {
    cpSync(file, join(folder, file), { dereference: true });
  }
  mkdirSync(join(folder, "project"));
  run("sh", [
    "-c",
    `git ls-files --cached --others --exclude-standard -z | xargs -0 cp --parents -t ${folder}/project`,
  ]);
}, 180_000);
afterAll(() => {
  stranger?.deleteFolders();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command of the shell in the chroot, in a namespace of processes that ends with it. */
function enter(command: string, settings: readonly string[] = []): ChildProcess {
  const script = `
    mount -t proc proc "$0/proc"
    mount --rbind /dev "$0/dev"
    exec chroot "$0" /usr/bin/env --ignore-environment HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin "$@"`;
  const namespaces = ["--mount", "--pid", "--fork", "--kill-child"];
  const args = [...namespaces, "sh", "-euc", script, folder, ...settings, "sh", "-c", `cd /project && ${command}`];
  return spawn("unshare", args, { stdio: ["ignore", "pipe", "pipe"] });
}

function outputOf(child: ChildProcess): () => string {
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  return () => output;
}

test("the README's two commands start the system, with one line about libatomic", async () => {
  const [, commands = ""] = /^## Start it\n\n {4}(.*)$/m.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  expect(commands).toBe("npm ci && npm start");
  const ports = await Promise.all(
    ["GATEWAY", "WORKSPACE", "ENVIRONMENT", "IDENTITY"].map(async (name) => `${name}_PORT=${await takeStablePort()}`),
  );
  const child = enter(commands, ports);
  const ended = once(child, "exit");
  const output = outputOf(child);
  try {
    await waitFor(
      () => {
        if (child.exitCode !== null) throw new Error("it has exited");
        return output().includes("Everything runs.") || undefined;
      },
      { deadlineMs: 300_000 },
    ).catch((cause: unknown) => {
      throw new Error(output(), { cause });
    });
    const lines = output()
      .split("\n")
      .filter((line) => line.includes("libatomic"));
    expect(lines).toEqual([
      "npm start: the Node.js of this project cannot run here, probably because libatomic is missing " +
        "(apt-get install libatomic1); using /usr/local/bin/node instead.",
    ]);
    const reply = await fetch(`http://127.0.0.1:${ports[0]?.split("=")[1]}/api/openapi.json`);
    expect(reply.status).toBe(200);
  } finally {
    child.kill("SIGKILL"); // takes its namespace with it
    await ended;
  }
}, 330_000);

test("control: npm's Node cannot run there", async () => {
  const child = enter("node_modules/.bin/node --version");
  const output = outputOf(child);
  const [code] = (await once(child, "close")) as [number];
  expect([code, output()]).toEqual([127, expect.stringContaining("libatomic.so.1")]);
}, 30_000);
