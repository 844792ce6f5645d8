import { expect } from "@jest/globals";
import { selectWrongCounts } from "../../../packages/service/test/counts/wrong-counts.ts";
import { forEachService } from "./services.ts";
import type { System } from "./start-system.ts";
import { repaired, type SystemDatabases } from "./system-databases.ts";

/**
 * Checks what must hold at the end of every run that loses no data: no crash, no dangling link, no wrong count, no
 * repair unless the run provokes them, and no conditions other than the ones that it provokes.
 */
export async function expectSound(
  system: System,
  databases: SystemDatabases,
  provoked: readonly string[] = [],
  provokesRepairs = false,
): Promise<void> {
  await databases.drained(30_000);
  expect(await databases.dangling()).toEqual({});
  const wrongCounts = await forEachService((name) => databases.of[name](selectWrongCounts[name]));
  expect(wrongCounts).toEqual({ identity: [], environment: [], workspace: [] });
  const crashed = system.programs.filter((program) => program.crashes() > 0);
  expect(crashed.map((program) => program.name)).toEqual([]);
  if (!provokesRepairs) expect(repaired(system)).toEqual([]);
  const conditions = system.programs.flatMap((program) => program.log()).flatMap(({ condition }) => condition ?? []);
  // A server that was frozen or disconnected does not respond for a while.
  const usual = ["jetstream-silent", ...provoked];
  expect(conditions.filter((name) => !usual.includes(String(name)))).toEqual([]);
}
