import { fail } from "@cloud/access/errors";
import type { Database } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { createSemaphore, createSemaphoreMetrics, type SemaphoreLimits } from "@cloud/runtime/limits";
import { count, milliseconds } from "@cloud/runtime/settings";
import type { Telemetry } from "@cloud/runtime/telemetry";
import * as z from "zod";

/** The database of a service's calls. Their long reads begin at once if `heavyReads` is absent. */
export interface ServiceDatabase extends Database {
  readonly heavyReads?: HeavyReads;
}

/**
 * Creates a bounded share of the connections to Postgres, for reads that take long: searches and deep pages. It bounds
 * the reads that run, in all and for each organization, so that no organization has the whole share. 16 clients
 * that search 100,000 records would otherwise have all 10 connections of the pool, and each request of another
 * organization would wait for several searches.
 *
 * While others of its organization wait, a read keeps its place for as long again as it took, so the organization uses
 * at most half of the time of its places. The rows take time after the read, too, in this program and in others
 * (docs/adr/0023-a-share-for-heavy-reads.md has the figures).
 */
export function createHeavyReads(limits: SemaphoreLimits, telemetry: Telemetry) {
  const places = createSemaphore({ ...limits, refusal: busy }, createSemaphoreMetrics(telemetry, "heavy-reads"));
  return {
    /**
     * Runs a read when it is its organization's turn. Does not begin it once `signal` is aborted.
     *
     * @throws OVERLOADED if too many wait already, or if its turn does not come in time; the reason of `signal`.
     */
    async run<T>(organization: string, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
      const release = await places.acquire({ key: organization, signal });
      const began = performance.now();
      try {
        return await read();
      } finally {
        if (places.waiting(organization) > 0) setTimeout(release, performance.now() - began).unref();
        else release();
      }
    },
  };
}

export type HeavyReads = ReturnType<typeof createHeavyReads>;

/** The error of all refusals. They share it, because to create it costs more than to send it. */
const busy = fail(Reason.OVERLOADED);

/**
 * The environment variables for the limits. A pool has 10 connections; one organization leaves two of the 3 to others.
 */
export const heavyReadSettings = () => ({
  HEAVY_READS: count(3).describe("searches and deep pages of a replica at the same time"),
  HEAVY_READS_PER_ORGANIZATION: count(1).describe("of them, of one organization"),
  HEAVY_READS_WAITING: count(8).describe("searches and deep pages of one organization that wait; more are refused"),
  HEAVY_READ_WAIT_MS: milliseconds(500).describe("milliseconds after which one that waits is refused"),
});

type Settings = Readonly<z.output<z.ZodObject<ReturnType<typeof heavyReadSettings>>>>;

/** Returns the share of the connections for a service's long reads, by organization (docs/limits.md). */
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
