import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { dropDatabase } from "@cloud/local-servers";
import { DEFAULT_LIMITS } from "@cloud/runtime/limits";
import { DEFAULT_HEAVY_READS } from "@cloud/service";
import { beforeTestServersStop, currentTestRun, startTestNats, startTestServers, testTelemetry } from "@cloud/testkit";
import type { Demo } from "./demo.ts";
import { seedDemo } from "./seed-demo.ts";
import { rolesOf, type Stack, type StackLimits, type StackOptions, startStack } from "./stack.ts";

/** The whole system with the demo's records. */
export interface TestStack extends Omit<Stack, "stop"> {
  nats: { url: string; pid: number };
  /** Connects as superuser to the stack's database, to inspect what the services store. */
  superuserUrl: string;
  demo: Demo;
}

/** A stack that the test has started, and stops. */
export interface OwnTestStack extends TestStack {
  stop(): Promise<void>;
}

/** The whole system without any record. */
export type EmptyTestStack = Omit<OwnTestStack, "demo">;

type TestStackOptions = Partial<Pick<StackOptions, "corsOrigins" | "telemetryFor">>;

/**
 * Limits that only a fault reaches, for tests of anything else: a busy machine is no reason to refuse a request. Each
 * connection to Postgres costs 30 ms, and then plans statements that others have: with 10 a stack takes a fifth more of
 * the processor.
 */
export const PATIENT_LIMITS: StackLimits = {
  server: { ...DEFAULT_LIMITS, maxInFlight: 1000 },
  heavyReads: { ...DEFAULT_HEAVY_READS, maxQueue: 1000, maxWaitMs: 60_000 },
  database: { connectTimeoutMs: 30_000, statementTimeoutMs: 30_000, maxConnections: 4 },
  requestDeadlineMs: 30_000,
};

/**
 * Starts the whole system for one test file: its own database in the Postgres of the jest run, its own nats-server, all
 * services on free ports, in this process, and the demo's records. Most files share one: see `joinTestStack`.
 */
export async function startTestStack(options: TestStackOptions = {}): Promise<OwnTestStack> {
  await using resources = new AsyncDisposableStack();
  const stack = await startEmptyTestStack(options);
  resources.defer(() => stack.stop());
  const demo = await seedDemo(stack);

  const running = resources.move();
  return { ...stack, demo, stop: () => running.disposeAsync() };
}

/** Starts the whole system without the demo's records. */
export async function startEmptyTestStack(options: TestStackOptions = {}): Promise<EmptyTestStack> {
  const { postgresUrl } = currentTestRun();
  const database = `stack_${randomBytes(6).toString("hex")}`;
  const serviceToken = randomBytes(24).toString("base64url");

  await using resources = new AsyncDisposableStack();
  resources.defer(() => dropDatabase(postgresUrl, database, rolesOf(database)));
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  const stack = await startStack({
    postgresUrl,
    database,
    natsUrlOf: nats.urlOf,
    serviceToken,
    telemetryFor: testTelemetry,
    limits: PATIENT_LIMITS,
    ...options,
  });
  resources.defer(() => stack.stop());

  const running = resources.move();
  const superuserUrl = new URL(database, postgresUrl).href;
  return { ...stack, nats: { url: nats.url, pid: nats.pid }, superuserUrl, stop: () => running.disposeAsync() };
}

const PROGRAM = join(import.meta.dirname, "test-stack-process.ts");

/** The variable with the addresses of the stack; workers of jest inherit it. */
const VARIABLE = "TEST_STACK";

/**
 * Starts the stack that the test files of this jest run share. With one for each file, `npm test` took 35 s more of the
 * processor, of 800.
 */
export async function startSharedTestStack(): Promise<void> {
  await startTestServers();
  // The program gets none of jest's own options.
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
 * Seeds a demo of its own in the stack that the test files of this run share. A test that changes more than the records
 * of its own organizations (roles, the programs, their settings), or looks into the programs, starts one for itself.
 *
 * @throws Error outside the suites that start one: see jest.config.js
 */
export async function joinTestStack(): Promise<TestStack> {
  const shared = process.env[VARIABLE];
  if (shared === undefined) throw new Error("this suite shares no stack: start one, or see jest.config.js");
  const stack = JSON.parse(shared) as Omit<TestStack, "demo">;
  return { ...stack, demo: await seedDemo(stack) };
}
