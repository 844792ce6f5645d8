import { statement } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { createRandom, runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import type { Rewrite } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";
import { raceConnectionLinks } from "./races/connection-links.ts";

const seed = runSeed();
const DEADLINE_MS = runFigures({ ci: 120_000, long: 1_200_000 });
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe("assign against delete of the environment-connection link", () => {
  // 2,000: half of them against the deletion of one end, half against that of the other.
  const races = runFigures({ ci: 1000, long: 20_000 });
  const whatOf = (end: string) => "assign-against-delete-environment-connection-by-" + end;

  test.each(["connection", "environment"] as const)(
    "leaves no link without its %s",
    async (end) => {
      const options = { end, races, random: createRandom(seed), rewrite: (text: string) => text };
      const { shownDeleted = [], strange, ...figures } = await raceConnectionLinks(fixture, options);
      writeReport({ what: whatOf(end), promise: 8, races, ...figures, shownDeleted: shownDeleted.length });
      expect([figures.dangling, shownDeleted, strange]).toEqual([0, [], {}]);
      // The assignment and the deletion each came first in more than a tenth of the races.
      expect(Math.min(figures.assigned, figures.refused)).toBeGreaterThan(races / 10);
    },
    DEADLINE_MS,
  );

  test.each(["connection", "environment"] as const)(
    "control: without the lock on the %s, it leaves dangling links",
    async (end) => {
      const from = " from " + end + "s where id = $1 and deleted_at is null";
      const unlocked: Rewrite = (text) => text.replace(from + " for share", from);
      const options = { end, races: 400, random: createRandom(seed), rewrite: unlocked };
      const { dangling } = await raceConnectionLinks(fixture, options);
      writeReport({ what: whatOf(end) + "-control", promise: 8, races: 400, dangling });
      expect(dangling).toBeGreaterThan(0);
      await execute(
        fixture.db,
        statement`
        delete
        from environment_connections`,
      );
    },
    60_000,
  );
});
