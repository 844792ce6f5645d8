import type { Contestant } from "./contestant.ts";
import type { FigureName, Recorder } from "./figures.ts";

/** Processor time of each program by name, and `all` of them. */
type Used = Readonly<Record<string, number>>;

type Name = Omit<FigureName, "side" | "program">;

/** Records each program of each contestant, then the ratios of the first to the others, round by round. */
export function recordContest(
  recorder: Recorder,
  name: Name,
  measured: ReadonlyMap<Contestant, readonly { readonly cpu: Used }[]>,
): void {
  for (const [{ name: side }, all] of measured) {
    for (const program of Object.keys(all[0]?.cpu ?? {})) {
      const values = all.map(({ cpu }) => cpu[program] ?? 0);
      recorder.record({ ...name, side, program }, values);
    }
  }
  const [[first, ours] = [], ...others] = [...measured];
  for (const [peer, theirs] of others) {
    const ratios = (ours ?? []).map(({ cpu }, round) => (cpu["all"] ?? 0) / (theirs[round]?.cpu["all"] ?? 0));
    if (!ratios.every(Number.isFinite)) continue; // so few requests that the clock of the kernel did not move
    recorder.record({ ...name, side: `${first?.name} / ${peer.name}`, program: "all", unit: "ratio" }, ratios);
  }
}

/** Returns processor time per request; `all` is without the programs that stand apart. */
export function microsecondsPer(count: number, before: Used, after: Used, apart: readonly string[]): Used {
  const used = Object.entries(after).map(([name, ms]) => [name, (1000 * (ms - (before[name] ?? 0))) / count] as const);
  const sum = used.filter(([name]) => !apart.includes(name)).reduce((total, [, one]) => total + one, 0);
  return { all: sum, ...Object.fromEntries(used) };
}
