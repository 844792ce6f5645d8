import type { RemovedProtection } from "@cloud/testkit";
import { writeReport } from "@cloud/testkit/figures";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { hostileControls } from "./controls.ts";
import { FLOODS, type FloodName } from "./floods/floods.ts";
import { endureFlood, expectHeld, isBroken, measureFlood } from "./floods/measure-flood.ts";
import { startArena } from "./floods/start-arena.ts";

describe("a flood of the gateway disturbs no other, one of a service takes bounded memory, and soon after it all is as before", () => {
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
  const { inTurn, callerBeforeBody, pagesInTurn, firstBytes, http2Limits } = hostileControls;
  const ofHttp1 = [...inTurn, ...callerBeforeBody, ...pagesInTurn, ...firstBytes];
  // Each control attacks its own system: a system flooded without protection does not recover soon. The other floods of
  // HTTP/2 have no control: Node's own protection withstands them.
  test.each<readonly [FloodName, readonly RemovedProtection[]]>([
    ["pipelined-unknown-165k", ofHttp1],
    ["pipelined-by-128", ofHttp1],
    ["large-bodies-at-gateway", ofHttp1],
    ["pages", ofHttp1],
    ["held-bytes", ofHttp1],
    ["watches", http2Limits],
    ["bodiless", http2Limits],
  ])(
    "%s",
    async (name, removed) => {
      await using resources = new AsyncDisposableStack();
      const arena = await startArena(removed);
      resources.defer(() => arena.stop());
      const figures = await measureFlood(arena, name);
      writeReport({ what: `hostile-flood-${name}-control`, promise: 12, ...figures });
      expect(isBroken(name, figures)).toBe(true);
    },
    180_000,
  );
});
