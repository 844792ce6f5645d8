import { waitFor } from "@cloud/testkit";
import type { Load } from "@cloud/testkit/figures";
import { isGood, PER_SECOND } from "./callers.ts";

const DEADLINE_MS = 20_000;

/** Returns the start of the first second of good answers alone, in milliseconds since the load began. */
export async function measureRecovery(load: Load<number>): Promise<number> {
  return await waitFor(() => beginOfGoodSecond(load), { deadlineMs: DEADLINE_MS }).catch(() => DEADLINE_MS);
}

function beginOfGoodSecond(load: Load<number>): number | undefined {
  const samples = load.samples();
  const begin = Math.max(0, ...samples.filter((one) => !isGood(one)).map(({ at }) => at + 1));
  const good = samples.filter(({ at }) => at >= begin && at < begin + 1_000);
  return good.length >= PER_SECOND - 1 ? Math.round(begin) : undefined;
}
