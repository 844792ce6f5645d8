import { writeReport } from "@cloud/testkit/figures";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type FloodName, SLOW_CLIENTS } from "./floods/floods.ts";
import { endureFlood, expectHeld } from "./floods/measure-flood.ts";
import { startArena } from "./floods/start-arena.ts";

describe("500 clients that send a byte at a time hold up no other", () => {
  let arena: Awaited<ReturnType<typeof startArena>>;
  beforeAll(async () => {
    arena = await startArena();
  }, 60_000);
  afterAll(() => arena.stop(), 60_000);

  test.each(Object.keys(SLOW_CLIENTS) as FloodName[])(
    "%s",
    async (name) => {
      const figures = await endureFlood(arena, name);
      writeReport({ what: `hostile-${name}`, promise: 13, ...figures });
      expect(figures.attacker.opened).toBeGreaterThanOrEqual(500);
      expectHeld(name, figures);
    },
    120_000,
  );
});
