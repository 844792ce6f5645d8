import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { currentTestRun, testFolder, waitFor } from "@cloud/testkit";
import { expect, test } from "@jest/globals";
import { startPostgres } from "../src/index.ts";

interface Started {
  postgres: string;
  nats: string;
}

/** Starts both servers in another process, and kills that with SIGKILL when they serve. */
async function startAndKill(folder: string, persistence: string): Promise<Started> {
  const program = join(import.meta.dirname, "start-and-wait.ts");
  const child = spawn(process.execPath, [program, folder, persistence, currentTestRun().natsServer], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = (await once(child.stdout, "data")) as [Buffer];
  child.kill("SIGKILL");
  await once(child, "exit");
  return JSON.parse(output.toString()) as Started;
}

function refuses(url: string): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.once("error", () => resolve(true));
    socket.once("connect", () => {
      socket.destroy();
      resolve(undefined);
    });
  });
}

test("the servers end with a parent that is killed, and a temporary folder is deleted too", async () => {
  const folder = testFolder();
  const { postgres, nats } = await startAndKill(folder, "temporary");
  await waitFor(() => refuses(postgres), { deadlineMs: 10_000 });
  await waitFor(() => refuses(nats), { deadlineMs: 10_000 });
  await waitFor(() => (existsSync(join(folder, "postgres")) ? undefined : true), { deadlineMs: 10_000 });
});

test("a persistent folder can be started again immediately, while the earlier server is still stopping", async () => {
  const folder = testFolder();
  await startAndKill(folder, "persistent");
  const again = await startPostgres({ folder: join(folder, "postgres"), persistent: true });
  expect(await refuses(again.superuserUrl)).toBeUndefined();
  await again.stop();
});
