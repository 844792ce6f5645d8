import { type Program, waitFor } from "@cloud/testkit";

/**
 * Waits until each of the programs has completed or given up `times` passes over every kind of reference. Kinds that it
 * has completed before count.
 */
export async function reconcilerPasses(
  programs: readonly Program[],
  times: number,
  deadlineMs = 60_000,
): Promise<void> {
  await Promise.all(
    programs.map(async (program) => {
      const { kinds, tries: before } = await waitFor(() => hasBegun(program), { deadlineMs });
      const isDone = async () => {
        const { tries } = await countPasses(program);
        const late = kinds.filter((kind) => (tries.get(kind) ?? 0) < (before.get(kind) ?? 0) + times);
        if (late.length > 0) throw new Error(`${program.name} still has to pass over ${late.join(", ")}`);
        return true;
      };
      await waitFor(isDone, { deadlineMs });
    }),
  );
}

async function hasBegun(program: Program) {
  const counts = await countPasses(program);
  return counts.kinds.length > 0 ? counts : undefined;
}

const PASSES = /^reconciler_(passes|skipped)_total\{.*?\bkind="([^"]+)".*?\} (\d+)$/gm;

/** Returns the kinds with a completed pass, and how often each was started and ended in any way. */
async function countPasses({ operatorUrl }: Program): Promise<{ kinds: string[]; tries: Map<string, number> }> {
  const page = await (await fetch(operatorUrl + "/metrics")).text();
  const kinds: string[] = [];
  const tries = new Map<string, number>();
  for (const [, outcome, kind = "", count] of page.matchAll(PASSES)) {
    if (outcome === "passes") kinds.push(kind);
    tries.set(kind, (tries.get(kind) ?? 0) + Number(count));
  }
  return { kinds, tries };
}
