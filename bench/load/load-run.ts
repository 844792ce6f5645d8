import type { bundlePrograms } from "../harness/bundle-programs.ts";
import type { Recorder } from "../harness/figures.ts";
import { interleave } from "../harness/interleave.ts";
import type { Client } from "../harness/start-client.ts";
import type { Options } from "../options.ts";
import { type Played, playFast } from "./play.ts";
import type { Side } from "./side.ts";

export interface LoadRun extends Pick<Options, "rounds" | "seconds"> {
  readonly client: Client;
  readonly mainOf: Awaited<ReturnType<typeof bundlePrograms>>;
  readonly recorder: Recorder;
}

/** Programs that have just started compile their code. */
const WARM_UP_ROUNDS = 3;
/** A guess at the requests a second that are served, before the peak is measured. */
const FIRST_GUESS = 300;

/** Measures what each side serves at most, after it has warmed up, in interleaved rounds. */
export async function measurePeaks<S extends Side>(
  { client, rounds, seconds }: LoadRun,
  sides: readonly S[],
): Promise<ReadonlyMap<S, readonly Played[]>> {
  const guesses = new Map<S, number>();
  const peakOf = async (side: S) => {
    const played = await playFast(client, side, Math.ceil((guesses.get(side) ?? FIRST_GUESS) * seconds));
    guesses.set(side, played.perSecond);
    return played;
  };
  await interleave(sides, WARM_UP_ROUNDS, peakOf);
  return await interleave(sides, rounds, peakOf);
}
