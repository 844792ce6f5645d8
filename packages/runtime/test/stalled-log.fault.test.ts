import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { COMPILE_CACHE, takeStablePort, testFolder, waitFor } from "@cloud/testkit";
import { expect, test } from "@jest/globals";

const PROGRAM = fileURLToPath(new URL("logging-program.ts", import.meta.url));

interface Running extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly operatorUrl: string;
  request(): Promise<number>;
  /** Takes what is in the pipe. */
  read(): void;
}

/** Starts the program with a pipe for its output that nothing reads. */
async function startUnread(mode: string): Promise<Running> {
  const path = join(testFolder(), "output");
  execFileSync("mkfifo", [path]);
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(path, constants.O_WRONLY);
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const child = spawn(process.execPath, [PROGRAM, mode], {
    env: {
      ...COMPILE_CACHE,
      PORT: String(port),
      OPERATOR_PORT: String(operatorPort),
      OPERATOR_HOST: "127.0.0.1",
      LAME_DUCK_MS: "0",
    },
    stdio: ["ignore", writing, "inherit"],
  });
  closeSync(writing);
  const exited = once(child, "exit");
  const request = async () =>
    (await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(60_000) })).status;
  await waitFor(() => request().catch(() => undefined), { deadlineMs: 60_000 });
  const chunk = Buffer.alloc(2 ** 16);
  return {
    child,
    operatorUrl: `http://127.0.0.1:${operatorPort}`,
    request,
    read: () => {
      try {
        readSync(reading, chunk);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error; // the pipe is empty
      }
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
      closeSync(reading);
    },
  };
}

test("while nothing reads the log, requests and probes are served, lines are dropped and counted, and it can stop", async () => {
  await using running = await startUnread("");
  for (let count = 0; count < 200; count++) expect(await running.request()).toBe(200);
  expect((await fetch(`${running.operatorUrl}/healthz`)).status).toBe(200);
  const metrics = await (await fetch(`${running.operatorUrl}/metrics`)).text();
  const [, dropped] = /^log_lines_dropped_total\{.*\} (\d+)$/m.exec(metrics) ?? [];
  // 2 MB were written; 1 MiB waits, and 64 KiB are in the pipe.
  expect(Number(dropped)).toBeGreaterThan(80);
  expect(Number(dropped)).toBeLessThan(120);
  running.child.kill("SIGTERM");
  expect(await once(running.child, "exit")).toEqual([0, null]);
});

test("control: a synchronous log stops the process until its reader goes on", async () => {
  await using running = await startUnread("synchronous");
  let served = 0;
  const serving = (async () => {
    for (; served < 20; served++) await running.request();
  })();
  // The arguments of the system call in which its main thread waits: 1 is standard output.
  const waitsForReader = () => readFileSync(`/proc/${running.child.pid}/syscall`, "utf8").split(" ")[1] === "0x1";
  await waitFor(() => waitsForReader() || undefined, { deadlineMs: 30_000 });
  expect(served).toBeLessThan(10);
  const goesOn = () => {
    running.read();
    return served === 20 || undefined;
  };
  await waitFor(goesOn, { deadlineMs: 30_000 });
  await serving;
});

test("the last lines before an exit are written, as fast as their reader takes them", async () => {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { ...COMPILE_CACHE, LAME_DUCK_MS: "0", OPERATOR_PORT: "0", OPERATOR_HOST: "127.0.0.1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const messages = () => {
    const lines = Buffer.concat(chunks).toString().trim().split("\n");
    return lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  };
  await once(child.stdout as NodeJS.ReadableStream, "data");
  child.kill("SIGTERM");
  const [code] = (await once(child, "close")) as [number];
  expect([code, messages().filter((message) => message === "stopping").length]).toEqual([0, 51]);
});
