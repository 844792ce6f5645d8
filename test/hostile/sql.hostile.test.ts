import type { RemovedProtection } from "@cloud/testkit";
import { startRestartablePostgres } from "@cloud/testkit/faults";
import { createRandom, runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { readStatements } from "../../docs/test/statements/read-statements.ts";
import { startSystem } from "../chaos/system/start-system.ts";
import { hostileControls } from "./controls.ts";
import { createRecords } from "./rest-fuzz/records.ts";
import { HARMLESS, INJECTIONS } from "./sql/injections.ts";
import { playTexts } from "./sql/play-texts.ts";
import { KEEPS_SHAPES, shapeOf, watchStatements } from "./sql/statement-shapes.ts";

/** The injections for each string. */
const PER_STRING = runFigures({ ci: 4, long: INJECTIONS.length });

/** The relay's mark of a published event. An injection may be the first to cause it. It has no text of a request. */
const MARK = shapeOf(
  readStatements().find(({ file, text }) => file.endsWith("/relay/outbox-sql.ts") && text.includes("nextval"))?.text ??
    "",
);

/** Plays harmless texts, then injections. A new shape is checked with harmless texts again: time brings shapes, too. */
async function inject(count: number, only?: string, removeAlso: readonly RemovedProtection[] = []) {
  await using resources = new AsyncDisposableStack();
  const postgres = () => startRestartablePostgres({ settings: KEEPS_SHAPES });
  const system = await startSystem({ removeAlso, postgres });
  resources.defer(() => system.stop());
  const records = await createRecords(system.demo);
  const victim = await createRecords(system.demo, "outsider");
  const watcher = await watchStatements(system.databaseUrl);
  resources.defer(() => watcher.close());
  // Ids that exist reach further.
  const harmless = [...HARMLESS, system.demo.users.teamAdmin.id, records.organizationId];
  await playTexts(system, records, { texts: harmless, only });
  // An injection may also be the first to fire a trigger, whose statements have no text of a request either.
  const known = new Set([...(await watcher.takeShapes()), ...(await watcher.shapesOfFunctions()), MARK]);
  const before = { rows: await watcher.rowsWith(victim.organizationId), names: await watcher.names() };
  const perString = { count, random: createRandom(runSeed()) };
  const calls = await playTexts(system, records, { texts: INJECTIONS, perString, only });
  const attacked = await watcher.takeShapes();
  const after = { rows: await watcher.rowsWith(victim.organizationId), names: await watcher.names() };
  let strange = [...attacked].filter((shape) => !known.has(shape));
  if (strange.length > 0) {
    await playTexts(system, records, { texts: harmless, only });
    const harmlessToo = await watcher.takeShapes();
    strange = strange.filter((shape) => !harmlessToo.has(shape));
  }
  return { calls, shapes: known.size, strange, before, after };
}

test("no injection changes the shape of a statement, or a row of others", async () => {
  const { strange, before, after, ...figures } = await inject(PER_STRING);
  const rows = Object.values(before.rows).flat().length;
  writeReport({ what: "hostile-sql", promise: 5, ...figures, rows, strange: strange.length });
  expect(strange).toEqual([]);
  expect(after).toEqual(before);
  expect(rows).toBeGreaterThan(20);
}, 600_000);

test("control: a value that is written into a statement changes its shape", async () => {
  const { strange } = await inject(INJECTIONS.length, "search", hostileControls.parameters);
  writeReport({ what: "hostile-sql-control", promise: 5, strange: strange.length });
  expect(strange.length).toBeGreaterThan(0);
}, 300_000);
