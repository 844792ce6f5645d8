import { count, milliseconds } from "@cloud/config";
import * as z from "zod";

/** What the reads of a service that take long may have of its connections to Postgres; see docs/limits.md. */
export interface HeavyReadLimits {
  /** At the same time. */
  readonly most: number;
  /** At the same time, of one organization. */
  readonly mostOfOne: number;
  /** Of one organization, that wait for their turn; more are refused. */
  readonly mostWaiting: number;
  /** Milliseconds after which one that waits is refused. */
  readonly waitMs: number;
}

/** The environment variables for the limits. A pool has 10 connections; one organization leaves two of the 3 to others. */
export const heavyReadSettings = () => ({
  HEAVY_READS: count(3).describe("searches and deep pages of a replica at the same time"),
  HEAVY_READS_PER_ORGANIZATION: count(1).describe("of them, of one organization"),
  HEAVY_READS_WAITING: count(8).describe("searches and deep pages of one organization that wait; more are refused"),
  HEAVY_READ_WAIT_MS: milliseconds(500).describe("milliseconds after which one that waits is refused"),
});

type Settings = Readonly<z.output<z.ZodObject<ReturnType<typeof heavyReadSettings>>>>;

export function heavyReadLimits(settings: Settings): HeavyReadLimits {
  return {
    most: settings.HEAVY_READS,
    mostOfOne: settings.HEAVY_READS_PER_ORGANIZATION,
    mostWaiting: settings.HEAVY_READS_WAITING,
    waitMs: settings.HEAVY_READ_WAIT_MS,
  };
}

/** The limits of a service whose settings are all absent. */
export const DEFAULT_HEAVY_READS: HeavyReadLimits = heavyReadLimits(z.object(heavyReadSettings()).parse({}));
