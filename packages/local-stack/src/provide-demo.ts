import { setTimeout as delay } from "node:timers/promises";
import { LocalServerError } from "@cloud/local-servers";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Demo, readDemo, writeDemo } from "./demo.ts";
import { renewDemo, seedDemo } from "./seed-demo.ts";
import type { Stack } from "./stack.ts";

type Print = (line: string) => void;

/**
 * Returns the demo of an earlier start if its records still exist, otherwise a new one if `seed`.
 *
 * @throws LocalServerError if a server became unavailable meanwhile
 */
export async function provideDemo(stack: Stack, file: string, seed: boolean, print: Print): Promise<Demo | undefined> {
  const earlier = await readDemo(file);
  const demo = (earlier && (await renewPatiently(stack, earlier))) ?? (seed ? await seedNew(stack, print) : undefined);
  if (demo !== undefined) await writeDemo(file, demo);
  return demo;
}

/**
 * Renews an earlier demo. Tries again when a server is unavailable for a moment: this must not look like a missing
 * demo, which would be seeded again.
 */
async function renewPatiently(stack: Stack, earlier: Demo): Promise<Demo | undefined> {
  for (let tries = 10; ; tries -= 1) {
    try {
      return await renewDemo(stack, earlier);
    } catch (error) {
      if (tries <= 1 || !(error instanceof ConnectError)) throw failed("looked up", error);
      await delay(1_000);
    }
  }
}

async function seedNew(stack: Stack, print: Print): Promise<Demo> {
  print("creating the demo's records (first start only)");
  try {
    return await seedDemo(stack);
  } catch (error) {
    throw failed("created", error);
  }
}

/** Returns one line for failures that another start fixes; anything else is a defect of ours, and keeps its stack. */
function failed(what: string, error: unknown): unknown {
  if (!(error instanceof ConnectError) || ![Code.Unavailable, Code.DeadlineExceeded].includes(error.code)) return error;
  const message = `The demo's records could not be ${what}: ${error.message}. Start again.`;
  return new LocalServerError("START_FAILED", message, error);
}
