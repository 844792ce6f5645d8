import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { COMPILE_CACHE, takeStablePort, waitFor } from "@cloud/testkit";
import { expect, test } from "@jest/globals";
import { listen } from "../src/listen.ts";

const PROGRAM = fileURLToPath(new URL("waiting-program.ts", import.meta.url));

function start(mode: string, env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [PROGRAM, mode], {
    env: { ...env, ...COMPILE_CACHE },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [bytes] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return bytes.toString();
}

/** Returns the messages that it has logged so far, in order. */
function loggedBy(child: ChildProcess): () => string[] {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const lines = () => Buffer.concat(chunks).toString().trim().split("\n");
  return () => lines().map((line) => (JSON.parse(line) as { msg: string }).msg);
}

test("a bad configuration is reported in one message, without a stack", async () => {
  const child = start("serve", { LOG_LEVEL: "loud" });
  const [output] = (await once(child.stderr as NodeJS.ReadableStream, "data")) as [Buffer];
  expect(output.toString()).toBe("waiting: the configuration is not usable:\n  LOG_LEVEL: must be a level of pino\n");
  expect(await once(child, "exit")).toEqual([1, null]);
});

test("the operator's port is open while the program starts, and says so", async () => {
  const port = await takeStablePort();
  const child = start("hang", { OPERATOR_PORT: String(port), OPERATOR_HOST: "127.0.0.1" });
  expect(await firstLine(child)).toContain("starting");
  const page = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, await response.text()];
  };
  expect(await page("/healthz")).toEqual([200, "ok\n"]);
  expect(await page("/readyz")).toEqual([503, "starting\n"]);
  child.kill("SIGTERM");
  await once(child, "exit");
});

test("an operator's port in use is logged, and exits with 1", async () => {
  await using other = createServer();
  const { port } = await listen(other, "127.0.0.1", 0, 1);
  const child = start("serve", { OPERATOR_PORT: String(port), OPERATOR_HOST: "127.0.0.1" });
  expect(await firstLine(child)).toContain("EADDRINUSE");
  expect(await once(child, "exit")).toEqual([1, null]);
});

test("SIGTERM ends a program that is still starting, with 0", async () => {
  const child = start("hang");
  expect(await firstLine(child)).toContain("starting");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test.each([
  ["SIGTERM", 300],
  // Ctrl-C does not wait for a load balancer.
  ["SIGINT", 60_000],
] as const)("%s: it leaves, then stops with 0", async (signal, lameDuckMs) => {
  const child = start("serve", { LAME_DUCK_MS: String(lameDuckMs) });
  const logged = loggedBy(child);
  expect(await firstLine(child)).toContain("serving");
  child.kill(signal);
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(logged()).toEqual(["serving", "stopping", "left", "stopped"]);
});

test("after SIGTERM it serves on for LAME_DUCK_MS", async () => {
  const port = await takeStablePort();
  const operator = { OPERATOR_PORT: String(port), OPERATOR_HOST: "127.0.0.1" };
  const child = start("serve", { LAME_DUCK_MS: "60000", ...operator });
  const logged = loggedBy(child);
  expect(await firstLine(child)).toContain("serving");
  child.kill("SIGTERM");
  await waitFor(() => logged().includes("left") || undefined, { deadlineMs: 30_000 });
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, "stopping\n"]);
  expect(logged()).toEqual(["serving", "stopping", "left"]);
  child.kill("SIGKILL");
  await once(child, "exit");
});

test("a start that fails is logged with its causes, and exits with 1", async () => {
  const child = start("fail");
  expect(await firstLine(child)).toContain("no database: refused");
  expect(await once(child, "exit")).toEqual([1, null]);
});
