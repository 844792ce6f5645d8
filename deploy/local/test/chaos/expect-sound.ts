import { expect } from "@jest/globals";
import type { Behind } from "./look-behind.ts";
import type { System } from "./start-system.ts";

/** What must hold at the end of every run, whatever it broke: nothing crashed, nothing dangles, nothing was repaired. */
export async function expectSound(system: System, behind: Behind): Promise<void> {
  await behind.drained(30_000);
  expect(await behind.dangling()).toEqual({});
  const crashed = system.programs.filter((program) => program.crashes() > 0);
  expect(crashed.map((program) => program.name)).toEqual([]);
  const repairs = system.programs.flatMap((program) => program.log()).filter(({ msg }) => msg === REPAIRED);
  expect(repairs).toEqual([]);
}

/** What the reconciler logs when it had something to do. */
const REPAIRED = "references to records that are gone were ended";
