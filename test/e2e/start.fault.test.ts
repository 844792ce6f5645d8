import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { processesOf, ROOT, serversOf, trackStarts } from "@cloud/local-stack/npm-start";
import { testFolder, waitFor } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";

const start = trackStarts();

describe("npm start", () => {
  test("restarts after it was killed, and only one at a time runs on a folder", async () => {
    const folder = testFolder();
    const killed = start(folder, {}, "--no-demo");
    await killed.ready();
    killed.child.kill("SIGKILL");
    await killed.ended();

    const again = start(folder, {}, "--no-demo");
    await again.ready();
    const second = start(folder);
    expect(await second.ended()).toBe(1);
    expect(second.errors()).toBe(
      `npm start: npm start is running already, as process ${again.child.pid}: stop that one first.\n`,
    );
  }, 60_000);

  test("stops on request while it starts", async () => {
    const folder = testFolder();
    const early = start(folder);
    await waitFor(() => (early.output().includes("making the database") ? true : undefined), { deadlineMs: 10_000 });
    early.child.kill("SIGINT");
    expect(await early.ended()).toBe(0);
    await waitFor(() => (processesOf(folder).length === 0 ? true : undefined), { deadlineMs: 10_000 });
    expect(readdirSync(folder)).not.toContain("running");
  }, 60_000);
});

test("without a demo, the banner's commands create the first organization, its Provider Admin and their token", async () => {
  const started = start(testFolder(), {}, "--no-demo");
  await started.ready();
  const commands = started
    .output()
    .split("\n")
    .filter((line) => /^ {2}(export|npm run) /.test(line))
    .join("\n");
  const { status, stdout, stderr } = spawnSync("bash", ["-euc", commands], { cwd: ROOT, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  const authorization = `Bearer ${/^cst_.*$/m.exec(stdout)?.[0]}`;
  const gateway = /REST API +(\S+)/.exec(started.output())?.[1];
  const profile = await fetch(`${gateway}/identity/users/profile`, { headers: { authorization } });
  expect([profile.status, await profile.json()]).toMatchObject([200, { email: "ada@example.com" }]);
  started.child.kill("SIGINT");
  expect(await started.ended()).toBe(0);
}, 60_000);

describe("npm start and its servers", () => {
  test("ends at Ctrl-C while it restarts one of them", async () => {
    const folder = testFolder();
    const started = start(folder, {}, "--no-demo");
    await started.ready();
    process.kill(serversOf(folder).postgres, "SIGKILL");
    const isRestarting = () => started.output().includes("Postgres ended (SIGKILL): starting it again. Its log: ");
    await waitFor(() => isRestarting() || undefined, { deadlineMs: 10_000 });
    started.child.kill("SIGINT");
    expect(await started.ended()).toBe(0);
    expect(processesOf(folder)).toEqual([]);
  }, 60_000);

  test("stops the servers that a killed start has left before --reset deletes their data", async () => {
    const folder = testFolder();
    const killed = start(folder, {}, "--no-demo");
    await killed.ready();
    const { postgres } = serversOf(folder);
    process.kill(postgres, "SIGSTOP"); // so that it certainly still runs
    killed.child.kill("SIGKILL");
    await killed.ended();
    const again = start(folder, {}, "--no-demo", "--reset");
    const isStopping = () => again.output().includes(`Postgres running (process ${postgres}): stopping it`);
    const seen = waitFor(() => isStopping() || undefined, { deadlineMs: 10_000 });
    await seen.finally(() => process.kill(postgres, "SIGCONT"));
    await again.ready();
    expect(again.output()).toContain("making the database");
    expect(serversOf(folder).postgres).not.toBe(postgres);
  }, 60_000);
});
