import { countEach } from "./count-each.ts";
import { sideBySide } from "./side-by-side.ts";
import { startAfter } from "./start-after.ts";

export interface LinkRaces {
  readonly races: number;
  /** How many are played at once. */
  readonly width: number;
  /** How many milliseconds after each other the first begin; 0 when left out. */
  readonly rampMs?: number;
  /** By how many milliseconds the deletion is released after the assignment; negative is before it. */
  readonly lateBy: () => number;
  /** Makes a link to something. Answers `not refused`, or how it was refused. */
  readonly assign: (race: number) => Promise<string>;
  /** Deletes what is linked. */
  readonly remove: (race: number) => Promise<string>;
  /** How an assignment is refused that comes after the deletion. */
  readonly tooLate: string;
}

export interface LinkOutcomes {
  /** The assignment came first; its link has to end with the deletion. */
  readonly assigned: number;
  /** The deletion came first, and the assignment was told so. */
  readonly refused: number;
  /** Whatever else the two were told, and how often. */
  readonly strange: Readonly<Record<string, number>>;
}

/** Plays assignments against deletions of the same, each pair released together but for a few milliseconds. */
export async function raceLinks(options: LinkRaces): Promise<LinkOutcomes> {
  const { races, width, rampMs, lateBy, assign, remove, tooLate } = options;
  const play = async (race: number) => {
    const late = lateBy();
    const both = [startAfter(-late, () => assign(race)), startAfter(late, () => remove(race))];
    return (await Promise.all(both)).join(" / ");
  };
  const told = await sideBySide(races, width, play, rampMs);
  const { [bothDone]: assigned = 0, [tooLate + " / " + done]: refused = 0, ...strange } = countEach(told);
  return { assigned, refused, strange };
}

const done = "not refused";
const bothDone = done + " / " + done;
