import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const PROGRAM = fileURLToPath(new URL("waiting-program.ts", import.meta.url));

function start(mode: string, env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [PROGRAM, mode], { env, stdio: ["ignore", "pipe", "pipe"] });
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [bytes] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return bytes.toString();
}

test("a bad configuration is told in one message, without a stack", async () => {
  const child = start("serve", { LOG_LEVEL: "loud" });
  const [said] = (await once(child.stderr as NodeJS.ReadableStream, "data")) as [Buffer];
  expect(said.toString()).toBe("waiting: the configuration is not usable:\n  LOG_LEVEL: must be a level of pino\n");
  expect(await once(child, "exit")).toEqual([1, null]);
});

test.each([
  ["serve", "serving"],
  ["hang", "starting"],
])("SIGTERM ends a program that is to %s, with 0", async (mode, line) => {
  const child = start(mode);
  expect(await firstLine(child)).toContain(line);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("a start that fails is logged with its causes, and exits with 1", async () => {
  const child = start("fail");
  expect(await firstLine(child)).toContain("no database: refused");
  expect(await once(child, "exit")).toEqual([1, null]);
});
