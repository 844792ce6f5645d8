import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { takeStablePort } from "../src/index.ts";

/** Below the range that other tests take ports from. */
const RANGE = { first: 11_900, last: 11_999 };

/** Ports that another process holds until `release`. */
async function takeElsewhere(count: number) {
  const args = [join(import.meta.dirname, "take-ports.ts"), count, RANGE.first, RANGE.last].map(String);
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const [output] = (await once(child.stdout, "data")) as [Buffer];
  const release = async () => {
    child.stdin.end();
    await once(child, "exit");
  };
  return { ports: JSON.parse(output.toString()) as number[], release };
}

// By chance alone, three times 20 of 100 ports are all different in one of 10 million cases.
test("no port is taken twice, in this process or in others, and each can be listened on", async () => {
  const others = await Promise.all([takeElsewhere(20), takeElsewhere(20)]);
  const own = await Promise.all(Array.from({ length: 20 }, () => takeStablePort(RANGE)));
  await Promise.all(others.map(({ release }) => release()));

  const taken = [...own, ...others.flatMap(({ ports }) => ports)];
  expect(new Set(taken).size).toBe(60);
  for (const port of own) {
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening");
    server.close();
  }
});

// The test before holds 20 of the 100: 70 twice are there only if the first 70 were released.
test("the ports of a process that has ended are free", async () => {
  const { release } = await takeElsewhere(70);
  await release();

  const again = await takeElsewhere(70);

  expect(new Set(again.ports).size).toBe(70);
  await again.release();
});
