import { count, milliseconds } from "@cloud/config";
import type { SemaphoreLimits } from "@cloud/program";
import * as z from "zod";

/** The environment variables for the limits. A pool has 10 connections; one organization leaves two of the 3 to others. */
export const heavyReadSettings = () => ({
  HEAVY_READS: count(3).describe("searches and deep pages of a replica at the same time"),
  HEAVY_READS_PER_ORGANIZATION: count(1).describe("of them, of one organization"),
  HEAVY_READS_WAITING: count(8).describe("searches and deep pages of one organization that wait; more are refused"),
  HEAVY_READ_WAIT_MS: milliseconds(500).describe("milliseconds after which one that waits is refused"),
});

type Settings = Readonly<z.output<z.ZodObject<ReturnType<typeof heavyReadSettings>>>>;

/** Returns what the reads of a service that take long may have of its connections, by organization; see docs/limits.md. */
export function heavyReadLimits(settings: Settings): SemaphoreLimits {
  return {
    max: settings.HEAVY_READS,
    maxPerKey: settings.HEAVY_READS_PER_ORGANIZATION,
    maxQueue: settings.HEAVY_READS_WAITING,
    maxWaitMs: settings.HEAVY_READ_WAIT_MS,
  };
}

/** The limits of a service whose settings are all absent. */
export const DEFAULT_HEAVY_READS: SemaphoreLimits = heavyReadLimits(z.object(heavyReadSettings()).parse({}));
