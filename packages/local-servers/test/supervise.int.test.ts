import { chmodSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { currentTestRun, testFolder, waitFor } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";
import { type LocalNats, type LocalServerError, startNats, supervise } from "../src/index.ts";

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Kept {
  first: LocalNats;
  /** Returns the newest life. */
  life: () => LocalNats;
  lines: string[];
  failures: LocalServerError[];
  everythingStops: AbortController;
  stop: () => Promise<void>;
}

type Start = (again: (signal: AbortSignal) => Promise<LocalNats>, signal: AbortSignal) => Promise<LocalNats>;

/** Keeps a real nats-server running; `start` may do something before or instead. */
async function keepNats(start: Start = (again, signal) => again(signal)): Promise<Kept> {
  const options = { binary: currentTestRun().natsServer, storeFolder: join(testFolder(), "store") };
  const first = await startNats(options);
  let life = first;
  const lines: string[] = [];
  const failures: LocalServerError[] = [];
  const everythingStops = new AbortController();
  const again = (signal: AbortSignal) => startNats({ ...options, port: first.port, signal });
  const kept = supervise({
    name: "nats-server",
    server: first,
    start: async (signal) => {
      life = await start(again, signal);
      return life;
    },
    log: (line) => lines.push(line),
    giveUp: (error) => failures.push(error),
    signal: everythingStops.signal,
  });
  closing.push(kept.stop);
  return { first, life: () => life, lines, failures, everythingStops, stop: kept.stop };
}

const until = (condition: () => boolean) => waitFor(() => condition() || undefined, { deadlineMs: 30_000 });

async function killAndWait(kept: Kept, times: number): Promise<void> {
  for (let life = 1; life <= times; life += 1) {
    process.kill(kept.life().pid, "SIGKILL");
    await until(() => kept.lines.length === 2 * life || kept.failures.length > 0);
  }
}

test("a server that ends is reported with its log and restarted on its port", async () => {
  const kept = await keepNats();
  await killAndWait(kept, 1);
  expect(kept.lines).toEqual([
    `nats-server ended (SIGKILL): starting it again. Its log: ${kept.first.logFile}`,
    "nats-server runs again",
  ]);
  expect(kept.life().url).toBe(kept.first.url);
  expect(kept.life().pid).not.toBe(kept.first.pid);
});

test("the fourth end within a minute is the last", async () => {
  const kept = await keepNats();
  await killAndWait(kept, 4);
  expect(kept.lines).toHaveLength(6);
  expect(kept.failures.map(({ fault, message }) => [fault, message])).toEqual([
    ["SERVER_ENDED", `nats-server ended (SIGKILL), after 3 new starts within a minute. Its log: ${kept.first.logFile}`],
  ]);
});

test("a port that another program holds for a moment is waited for", async () => {
  const others: Server[] = [];
  const kept = await keepNats(async (again, signal) => {
    const other = others.pop();
    if (other !== undefined) await new Promise((resolve) => other.close(resolve));
    else {
      const taken = createServer().unref();
      others.push(taken);
      await new Promise<void>((resolve) => taken.listen(kept.first.port, "127.0.0.1", resolve));
    }
    return again(signal);
  });
  process.kill(kept.first.pid, "SIGKILL");
  await until(() => kept.lines.includes("nats-server runs again"));
  expect(kept.lines[1]).toMatch(/^nats-server did not start \(NATS cannot listen on .*\): starting it again\./);
  expect(kept.failures).toEqual([]);
});

test("a stop does not count as a crash", async () => {
  const kept = await keepNats();
  await kept.stop();
  await kept.stop();
  await kept.first.ended;
  expect(kept.lines).toEqual([]);
});

test("nor does an exit just before everything stops", async () => {
  const kept = await keepNats();
  process.kill(kept.first.pid, "SIGTERM");
  await kept.first.ended;
  // As when a signal is sent to all processes at once, and ours is the last to receive it.
  await new Promise(setImmediate);
  kept.everythingStops.abort();
  await kept.stop();
  expect(kept.lines).toEqual([]);
});

test("a pending start is given up when everything stops", async () => {
  const neverReady = join(testFolder(), "nats-server");
  writeFileSync(neverReady, "#!/bin/sh\nexec sleep 60\n");
  chmodSync(neverReady, 0o700);
  const kept = await keepNats((_again, signal) => startNats({ binary: neverReady, storeFolder: testFolder(), signal }));
  process.kill(kept.first.pid, "SIGKILL");
  await until(() => kept.lines.length === 1);
  // Otherwise it lasts for 30 s, longer than this test may.
  await kept.stop();
  expect(kept.lines).toHaveLength(1);
  expect(kept.failures).toEqual([]);
});
