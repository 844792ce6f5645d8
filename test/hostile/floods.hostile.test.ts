import { writeReport } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { hostileControls } from "./controls.ts";
import { FLOODS, type FloodName } from "./floods/floods.ts";
import { endureFlood, expectHeld, MOST, measureFlood } from "./floods/measure-flood.ts";
import { startArena } from "./floods/start-arena.ts";

describe("while a flood lasts, others are served, and soon after it all is as before", () => {
  let arena: Awaited<ReturnType<typeof startArena>>;
  beforeAll(async () => {
    arena = await startArena();
  }, 60_000);
  afterAll(() => arena.stop(), 60_000);

  test.each(Object.keys(FLOODS) as FloodName[])(
    "%s",
    async (name) => {
      const figures = await endureFlood(arena, name);
      writeReport({ what: `hostile-flood-${name}`, promise: 12, ...figures });
      expect(figures.attacker.sentBytes).toBeGreaterThan(0);
      expectHeld(name, figures);
    },
    120_000,
  );
});

describe("control: without its protection, a flood is noticed", () => {
  // Each attacks a system of its own: one that was flooded without protection is not well again soon.
  test.each<FloodName>(["pipelined-unknown-165k", "large-bodies-at-gateway", "pages", "held-bytes"])(
    "%s",
    async (name) => {
      await using resources = new AsyncDisposableStack();
      const { inTurn, callerBeforeBody, pagesInTurn, firstBytes } = hostileControls;
      const arena = await startArena([...inTurn, ...callerBeforeBody, ...pagesInTurn, ...firstBytes]);
      resources.defer(() => arena.stop());
      const figures = await measureFlood(arena, name);
      writeReport({ what: `hostile-flood-${name}-control`, promise: 12, ...figures });
      expect(figures.ratio).toBeGreaterThan(MOST.ratio);
    },
    180_000,
  );
});
