import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withoutProtections } from "@cloud/local-stack/npm-start";
import { type RemovedProtection, testFolder, waitFor } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";
import { readServiceToken } from "../src/local-folder.ts";
import { acquireLocalLock } from "../src/local-lock.ts";

const RACERS = 6;
/** All racers have read the lock before the first acts on it: each notes in a folder that it has. */
const MEET: RemovedProtection = {
  marker: "free-lock",
  instead: `
    const { readdirSync } = process.getBuiltinModule("node:fs");
    writeFileSync(process.env.MEETING + "/" + process.pid, "");
    while (readdirSync(process.env.MEETING).length < ${RACERS}) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    if (!tryLink(written, file)) takeFromDead(file, written);`,
};

/** Makes each start delete the dead lock that it has read, even if another has replaced it since. */
const WITHOUT_TURNS: RemovedProtection = {
  marker: "takeover-turns",
  instead: "const before = undefined; rmSync(file, { force: true }); tryLink(written, file); return;",
};

describe("the lock of a folder", () => {
  /** Races simultaneous starts for the lock of a dead owner. */
  async function race(
    before: string,
    ...changes: RemovedProtection[]
  ): Promise<{ outcomes: string[]; left: string[] }> {
    const folder = testFolder();
    const meeting = testFolder();
    const file = join(folder, "running");
    writeFileSync(file, before);
    const children = Array.from({ length: RACERS }, () => {
      const program = join(import.meta.dirname, "hold-lock.ts");
      const env = { ...process.env, ...withoutProtections([MEET, ...changes]), MEETING: meeting };
      return spawn(process.execPath, [program, file], { stdio: ["pipe", "pipe", "inherit"], env });
    });
    const outputs = children.map(() => "");
    for (const [index, child] of children.entries()) {
      child.stdout.on("data", (chunk: Buffer) => {
        outputs[index] += chunk.toString();
      });
    }
    const allPrinted = (lines: number) => outputs.every((text) => text.split("\n").length > lines) || undefined;
    await waitFor(() => allPrinted(1), { deadlineMs: 30_000 });
    for (const child of children) child.stdin.write("go");
    await waitFor(() => allPrinted(2), { deadlineMs: 30_000 });
    const left = readdirSync(folder);
    for (const child of children) child.stdin.end();
    await Promise.all(children.filter(({ exitCode }) => exitCode === null).map((child) => once(child, "exit")));
    return { outcomes: outputs.map((text) => text.split("\n")[1] ?? "").toSorted(), left };
  }

  test.each(["", "999999999 1"])("is acquired by one of several starts, after %j", async (before) => {
    const outcomes = [...Array(RACERS - 1).fill("FOLDER_IN_USE"), "locked"];
    expect(await race(before)).toEqual({ outcomes, left: ["running"] });
  });

  test("control: without turns it is acquired by all", async () => {
    const { outcomes } = await race("", WITHOUT_TURNS);
    expect(outcomes).toEqual(Array(RACERS).fill("locked"));
  });

  test("is released only by its owner", () => {
    const file = join(testFolder(), "running");
    const unlock = acquireLocalLock(file);
    writeFileSync(file, "another");
    unlock();
    expect(readFileSync(file, "utf8")).toBe("another");
  });
});

describe("the service token", () => {
  test("stays the same, except for an empty file that a killed start has left", async () => {
    const file = join(testFolder(), "service-token");
    writeFileSync(file, "");
    const token = await readServiceToken(file);
    expect(token).toHaveLength(43);
    expect(await readServiceToken(file)).toBe(token);
  });
});
