import { randomInt } from "node:crypto";
import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { linkCommands } from "./link-commands.ts";
import { RULES } from "./model.ts";
import { play } from "./play.ts";
import { createSend } from "./real.ts";
import { workspaceCommands } from "./workspace-commands.ts";

const { MODEL_SEED, MODEL_PATH } = process.env;
/** Enough to keep two cores busy. */
const SHARDS = 6;
const seed = Number(MODEL_SEED ?? randomInt(2 ** 30));

/**
 * Declares the tests of the model: random sequences of REST calls by seven kinds of client in two organizations. Each
 * response is compared with a model's (`model.ts`), as are lists and activity logs at the end of every sequence. A
 * sequence has 29 steps or more. The controls, which take twice as long as 25 sequences, belong to the long run.
 *
 * A failure prints the shortest failing sequence, and the command that repeats it:
 *
 *   MODEL_SEED=1234 MODEL_PATH=17:3:0,AAg:C npm test -- test/model
 *
 * MODEL_SEED alone repeats all sequences of that seed; without it, the seed is random.
 */
export function testModel(runs: number, { withControls = false } = {}): void {
  let stack: TestStack;
  let rest: ReturnType<typeof createSend>;
  beforeAll(async () => {
    stack = await joinTestStack();
    rest = createSend(stack.demo.gateway);
  });
  afterAll(() => rest.close());

  test("the system responds as the model predicts", async () => {
    const outcome = await play({ demo: stack.demo, send: rest.send, seed, runs, path: MODEL_PATH, shards: SHARDS });
    expect(outcome.failures.map(({ report }) => report).join("\n\n")).toBe("");
    if (MODEL_PATH !== undefined) return; // only one sequence was played, and not to its end
    expect(outcome.sequences).toBeGreaterThanOrEqual(runs);
    expect(outcome.steps).toBeGreaterThanOrEqual(runs * 29);
  }, 600_000);

  if (!withControls) return;
  // The controls: a model with one wrong rule is detected, with few calls.
  test.each([
    ["lets the last workspace go", { ...RULES, keepsLastWorkspace: false }, workspaceCommands, 1],
    ["leaves links that were removed", { ...RULES, removalEndsLink: false }, linkCommands, 3],
  ])(
    "a model that %s is detected",
    async (_, rules, commands, length) => {
      const few = { runs: 100, shards: 1, commands, maxCommands: 10 };
      const game = { demo: stack.demo, send: rest.send, seed, rules, ...few };
      const [failure] = (await play(game)).failures;
      // Whole, because a failure that does not come again, such as of a server, is not shrunk and cannot be repeated.
      const report = failure?.report ?? "nothing was detected";
      expect((failure?.commands.length ?? Infinity) <= length ? "" : report).toBe("");

      const again = await play({ ...game, seed: failure?.seed ?? 0, path: failure?.path });
      const found = again.failures.map(({ commands: shortest }) => shortest);
      expect({ report, found }).toEqual({ report, found: [failure?.commands] });
    },
    60_000,
  );
}
