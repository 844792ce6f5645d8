import { refusal } from "@cloud/access/testing";
import type { Random } from "@cloud/testkit/figures";
import { type LinkOutcomes, raceLinks } from "@cloud/testkit/races";

export interface RemoteRaces {
  readonly races: number;
  /** Number of concurrent races. */
  readonly width: number;
  readonly random: Random;
  /** The kind of record that is deleted. */
  readonly what: "environment" | "team" | "workspace";
  assign(race: number): Promise<unknown>;
  remove(race: number): Promise<unknown>;
}

/**
 * Milliseconds by which an owner's reply about a record's state is delayed, so that a deletion and its event fit
 * between the look-up and the link: on a busy machine an event takes tens of milliseconds.
 */
export const LOOK_UP_MS = 300;

/**
 * Milliseconds by which later deletions move after each race. Where a deletion is slow, almost all assignments come
 * first (452 of 500 were seen); these steps settle where a quarter of them comes too late.
 */
const SHIFT_AFTER = { refused: 3, assigned: -1 };

/**
 * Assigns and deletes concurrently, in all orders: the deletion comes before the look-up, during it, or after the link.
 */
export function raceOwners({ races, width, random, what, assign, remove }: RemoteRaces): Promise<LinkOutcomes> {
  const tooLate = "404 " + what.toUpperCase() + "_NOT_FOUND: " + what + " not found";
  return raceLinks({
    races,
    width,
    rampMs: 20,
    lateBy: () => random.between(-LOOK_UP_MS / 4, LOOK_UP_MS * 2),
    shiftAfter: SHIFT_AFTER,
    assign: (race) => refusal(assign(race)),
    remove: (race) => refusal(remove(race)),
    tooLate,
  });
}
