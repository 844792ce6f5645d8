import { refusal } from "@cloud/rpc/testing";
import { type LinkOutcomes, type Random, raceLinks } from "@cloud/testkit";

export interface RemoteRaces {
  readonly races: number;
  /** How many are played at once. */
  readonly width: number;
  readonly random: Random;
  /** What is deleted. */
  readonly what: "environment" | "team" | "workspace";
  assign(race: number): Promise<unknown>;
  remove(race: number): Promise<unknown>;
}

/**
 * How long an owner's answer to "does it live?" is held back, in milliseconds, so that a deletion and its event fit between
 * the look-up and the link: on a busy machine an event takes tens of milliseconds.
 */
export const LOOK_UP_MS = 300;

/** Assigns and deletes at once, in all orders: the deletion comes before the look-up, during it, or after the link. */
export function raceOwners({ races, width, random, what, assign, remove }: RemoteRaces): Promise<LinkOutcomes> {
  return raceLinks({
    races,
    width,
    rampMs: 20,
    lateBy: () => random.between(-LOOK_UP_MS / 4, LOOK_UP_MS * 2),
    assign: (race) => refusal(assign(race)),
    remove: (race) => refusal(remove(race)),
    tooLate: "404 " + what.toUpperCase() + "_NOT_FOUND: " + what + " not found",
  });
}
