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

/** What it has logged so far, in order. */
function loggedBy(child: ChildProcess): () => string[] {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const lines = () => Buffer.concat(chunks).toString().trim().split("\n");
  return () => lines().map((line) => (JSON.parse(line) as { msg: string }).msg);
}

test("a bad configuration is told in one message, without a stack", async () => {
  const child = start("serve", { LOG_LEVEL: "loud" });
  const [said] = (await once(child.stderr as NodeJS.ReadableStream, "data")) as [Buffer];
  expect(said.toString()).toBe("waiting: the configuration is not usable:\n  LOG_LEVEL: must be a level of pino\n");
  expect(await once(child, "exit")).toEqual([1, null]);
});

test("SIGTERM ends a program that is still starting, with 0", async () => {
  const child = start("hang");
  expect(await firstLine(child)).toContain("starting");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test.each([
  ["SIGTERM", 300, 300],
  // Whoever presses Ctrl-C does not wait for a balancer.
  ["SIGINT", 60_000, 0],
] as const)("%s: it leaves, serves on for a while, then stops with 0", async (signal, lameDuckMs, leastMs) => {
  const child = start("serve", { LAME_DUCK_MS: String(lameDuckMs) });
  const said = loggedBy(child);
  expect(await firstLine(child)).toContain("serving");
  const before = performance.now();
  child.kill(signal);
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(performance.now() - before).toBeGreaterThanOrEqual(leastMs);
  expect(said()).toEqual(["serving", "stopping", "left", "stopped"]);
});

test("a start that fails is logged with its causes, and exits with 1", async () => {
  const child = start("fail");
  expect(await firstLine(child)).toContain("no database: refused");
  expect(await once(child, "exit")).toEqual([1, null]);
});
