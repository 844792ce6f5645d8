import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Demo } from "@cloud/local-stack";
import { ROOT, trackStarts } from "@cloud/local-stack/npm-start";
import { testFolder, waitFor } from "@cloud/testkit";
import { expect, test } from "@jest/globals";
import { restClients } from "../../test/e2e/rest.ts";

const start = trackStarts();
const DEADLINE = { deadlineMs: 30_000 };

/** Runs the commands of docs/events.md in the folder, as they are written. Returns the lines that they print. */
function runExample(folder: string, natsUrl: string) {
  const [, commands = ""] = /```sh\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, "docs/events.md"), "utf8")) ?? [];
  const child = spawn("bash", ["--norc", "-euc", commands], {
    cwd: folder,
    env: { ...process.env, NATS_URL: natsUrl },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const ended = once(child, "exit");
  const lines: string[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(line));
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;
  };
  return { lines, kill };
}

test("the example consumer prints each deletion under npm start, also one made while it was killed", async () => {
  await using resources = new AsyncDisposableStack();
  const folder = testFolder();
  symlinkSync(join(ROOT, "docs"), join(folder, "docs"));
  const local = join(folder, ".local");
  mkdirSync(local, { mode: 0o700 });
  const started = start(local);
  await started.ready();
  const natsUrl = /Events +(nats:\S+?),/.exec(started.output())?.[1] ?? "";
  const demo = JSON.parse(readFileSync(join(local, "demo.json"), "utf8")) as Demo;
  const { orgAdmin } = restClients(demo);
  const run = () => {
    const running = runExample(folder, natsUrl);
    resources.defer(running.kill);
    return running;
  };
  const deleteWorkspace = async (): Promise<string> => {
    const { body } = await orgAdmin.post("/workspaces", { organizationId: demo.organizations[0]?.id, name: "Billed" });
    expect((await orgAdmin.delete(`/workspaces/${body.id}`)).status).toBe(204);
    return body.id;
  };
  const printed = (lines: readonly string[], id: string) =>
    waitFor(() => lines.some((line) => line.endsWith(` ${id}`)) || undefined, DEADLINE);

  const first = run();
  await printed(first.lines, await deleteWorkspace());
  await first.kill();
  const missed = await deleteWorkspace();
  const second = run();
  await printed(second.lines, missed);
  expect(second.lines.every((line) => /^[\da-f-]{36} [\da-f-]{36}$/.test(line))).toBe(true);
}, 120_000);
