import { expect } from "@jest/globals";
import { type Behind, repairs } from "./look-behind.ts";
import type { System } from "./start-system.ts";

/** What must hold at the end of every run, whatever it broke: nothing crashed, nothing dangles, nothing was repaired. */
export async function expectSound(system: System, behind: Behind): Promise<void> {
  await behind.drained(30_000);
  expect(await behind.dangling()).toEqual({});
  const crashed = system.programs.filter((program) => program.crashes() > 0);
  expect(crashed.map((program) => program.name)).toEqual([]);
  expect(repairs(system)).toBe(0);
}
