import { fileURLToPath } from "node:url";
import { takeStablePort } from "@cloud/local-servers";
import { afterEach, describe, expect, test } from "@jest/globals";
import { killOnSchedule } from "../src/faults/kill-on-schedule.ts";
import { createRandom } from "../src/random.ts";
import { createProgram, type Program, without } from "../src/start-program.ts";
import { waitFor } from "../src/test-telemetry.ts";

const main = fileURLToPath(new URL("greeting-program.ts", import.meta.url));
const programs: Program[] = [];
afterEach(async () => {
  for (const program of programs.splice(0)) await program.close();
});

async function create(options: { preload?: string[]; env?: Record<string, string> } = {}): Promise<Program> {
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const program = createProgram({ name: "answering", main, port, operatorPort, env: {}, ...options });
  programs.push(program);
  return program;
}

const greetingOf = async ({ url }: Program) => (await fetch(url)).text();

describe("a supervised program", () => {
  test("serves, is stopped with its exit code, and restarts on its port", async () => {
    const program = await create();
    await program.start();
    expect(await greetingOf(program)).toBe("hello");
    expect(await program.stop()).toBe(0);
    await expect(greetingOf(program)).rejects.toThrow("fetch failed");
    await program.start();
    expect(await greetingOf(program)).toBe("hello");
    expect(program.log()).toEqual([
      { level: "info", msg: "hello" },
      { level: "info", msg: "hello" },
    ]);
    expect(program.crashes()).toBe(0);
  });

  test("an exit that was not requested counts as a crash", async () => {
    const program = await create();
    await program.start();
    await fetch(program.url, { method: "POST" }).catch(() => undefined);
    await waitFor(() => (program.isRunning() ? undefined : true), { deadlineMs: 30_000 });
    expect(program.crashes()).toBe(1);
    await program.start();
    expect(program.crashes()).toBe(1);
  });

  test("one that does not start reports why", async () => {
    const program = await create({ env: { PORT: "-1" } });
    await expect(program.start()).rejects.toThrow("ERR_SOCKET_BAD_PORT");
  });

  test("starts with changed variables until they are changed back", async () => {
    const program = await create();
    await program.start();
    await program.stop();
    program.setEnvironment({ GREETING: "goodbye" });
    await program.start();
    expect(await greetingOf(program)).toBe("goodbye");
    await program.stop();
    program.setEnvironment({});
    await program.start();
    expect(await greetingOf(program)).toBe("hello");
  });

  test("paused, it accepts connections and does not respond", async () => {
    const program = await create();
    await program.start();
    program.pause();
    await expect(fetch(program.url, { signal: AbortSignal.timeout(200) })).rejects.toThrow("timeout");
    program.resume();
    expect(await greetingOf(program)).toBe("hello");
  });
});

test("the schedule kills as often as requested, the same victims for the same seed", async () => {
  const history: string[] = [];
  const victim = (name: string) => ({
    name,
    kill: async () => void history.push("kill " + name),
    start: async () => void history.push("start " + name),
  });
  const victims = [victim("a"), victim("b")] as const;
  const play = async () =>
    killOnSchedule({ victims: [...victims], kills: 6, pauseMs: [0, 2], deadMs: [0, 2], random: createRandom(5) });
  const first = await play();
  expect(await play()).toEqual(first);
  expect((first["a"] ?? 0) + (first["b"] ?? 0)).toBe(6);
  expect(history).toHaveLength(24);
  expect(history.slice(12)).toEqual(history.slice(0, 12));
});

describe("a protection that is removed", () => {
  test("is absent from the program: the line that ends with its marker, or the line below a marker that stands alone", async () => {
    const greeting = { marker: "greeting", instead: 'const greeting = "unprotected";' };
    const program = await create(without([greeting, { marker: "given-greeting", instead: "response.end(greeting);" }]));
    program.setEnvironment({ GREETING: "given" });
    await program.start();
    expect(await greetingOf(program)).toBe("unprotected");
  });
});
