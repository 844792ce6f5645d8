import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { startTestStack, type TestStack } from "../src/test-stack.ts";
import { type CaseFile, createPlayer, type Player, playCase, readCaseFiles } from "./case-runner/index.ts";

let stack: TestStack;
let player: Player;
beforeAll(async () => {
  stack = await startTestStack();
  player = await createPlayer(stack);
});
afterAll(() => stack.stop());

/** Cases wait for one another's answers much of the time; more at once than this gains nothing on two cores. */
const AT_ONCE = 6;

/** The outcome of every play of a file: undefined, or what it failed with. */
type Outcomes = ReadonlyMap<string, unknown>;

async function playFile(file: CaseFile): Promise<Outcomes> {
  const outcomes = new Map<string, unknown>();
  const plays = file.cases.flatMap((played) => played.surfaces.map((surface) => ({ played, surface })));
  const queue = plays.values();
  const work = async () => {
    for (const { played, surface } of queue) {
      const failure = await playCase(player, file, played, surface).catch((error: unknown) => error);
      outcomes.set(titleOf(played.name, surface), failure);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcomes;
}

const titleOf = (name: string, surface: string) => `${name} [${surface.toUpperCase()}]`;

// The first test of a file plays all of the file's cases, so that `-t` with a file's name plays that file alone.
for (const file of readCaseFiles()) {
  describe(file.file, () => {
    if ("refused" in file) {
      test("can be read", () => {
        throw file.refused;
      });
      return;
    }
    let played: Promise<Outcomes> | undefined;
    for (const { name, surfaces } of file.cases) {
      test.each(surfaces.map((surface) => titleOf(name, surface)))("%s", async (title) => {
        played ??= playFile(file);
        const failure = (await played).get(title);
        if (failure !== undefined) throw failure;
      });
    }
  });
}
