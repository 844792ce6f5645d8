import { countEach } from "./count-each.ts";
import { sideBySide } from "./side-by-side.ts";
import { startAfter } from "./start-after.ts";

export interface LinkRaces {
  readonly races: number;
  /** Number of concurrent races. */
  readonly width: number;
  /** Milliseconds between the starts of the first races; 0 if absent. */
  readonly rampMs?: number;
  /** Milliseconds by which the deletion is released after the assignment; negative means before it. */
  readonly lateBy: () => number;
  /**
   * Milliseconds by which the release of later deletions moves after each race, so that both orders occur however long
   * each takes on this machine: they settle where the two cancel out.
   */
  readonly shiftAfter: { readonly refused: number; readonly assigned: number };
  /** Creates a link. Returns `not refused`, or how it was refused. */
  readonly assign: (race: number) => Promise<string>;
  /** Deletes the linked record. */
  readonly remove: (race: number) => Promise<string>;
  /** How an assignment after the deletion is refused. */
  readonly tooLate: string;
}

export interface LinkOutcomes {
  /** The assignment came first, so the deletion must delete its link. */
  readonly assigned: number;
  /** The deletion came first, and the assignment was refused accordingly. */
  readonly refused: number;
  /** Counts of all other outcomes. */
  readonly strange: Readonly<Record<string, number>>;
}

/**
 * Races assignments against deletions of the same record, each pair released together except for a few milliseconds.
 */
export async function raceLinks(options: LinkRaces): Promise<LinkOutcomes> {
  const { races, width, rampMs, lateBy, shiftAfter, assign, remove, tooLate } = options;
  let shift = 0;
  const assignAndShift = async (race: number) => {
    const outcome = await assign(race);
    shift += outcome === tooLate ? shiftAfter.refused : shiftAfter.assigned;
    return outcome;
  };
  const play = async (race: number) => {
    const late = shift + lateBy();
    const both = [startAfter(-late, () => assignAndShift(race)), startAfter(late, () => remove(race))];
    return (await Promise.all(both)).join(" / ");
  };
  const outcomes = await sideBySide(races, width, play, rampMs);
  const { [bothDone]: assigned = 0, [`${tooLate} / ${done}`]: refused = 0, ...strange } = countEach(outcomes);
  return { assigned, refused, strange };
}

const done = "not refused";
const bothDone = `${done} / ${done}`;
