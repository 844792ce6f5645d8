import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { beforeTestServersStop, startTestServers } from "@cloud/testkit";
import { seedDemo } from "./seed-demo.ts";
import type { TestStack } from "./test-stack.ts";

const PROGRAM = join(import.meta.dirname, "test-stack-process.ts");

/** Holds the addresses of the stack; workers of jest inherit it. */
const VARIABLE = "TEST_STACK";

/**
 * Starts the stack that the test files of this jest run share. With one for each file, `npm test` took 35 s more of the
 * processor, of 800.
 */
export async function startSharedTestStack(): Promise<void> {
  await startTestServers();
  // It gets none of jest's own options.
  const child = fork(PROGRAM, { execArgv: [] });
  const exit = once(child, "exit");
  beforeTestServersStop(async () => {
    if (child.connected) child.disconnect();
    await exit;
  });
  const [message] = await Promise.race([once(child, "message"), exit]);
  if (typeof message !== "object") throw new Error(`the stack that tests share ended with ${String(message)}`);
  process.env[VARIABLE] = JSON.stringify(message);
}

/**
 * Seeds a demo of its own in the stack that the test files of this run share. A test that changes more than the records of
 * its own organizations (roles, the programs, their settings), or looks into the programs, starts one for itself.
 *
 * @throws Error outside the suites that start one: see jest.config.js
 */
export async function joinTestStack(): Promise<TestStack> {
  const shared = process.env[VARIABLE];
  if (shared === undefined) throw new Error("this suite shares no stack: start one, or see jest.config.js");
  const stack = JSON.parse(shared) as Omit<TestStack, "demo">;
  return { ...stack, demo: await seedDemo(stack) };
}
