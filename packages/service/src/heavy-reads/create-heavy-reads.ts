import { fail } from "@cloud/contract";
import type { Database } from "@cloud/postgres";
import { createSemaphore, createSemaphoreMetrics, type SemaphoreLimits } from "@cloud/program";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Telemetry } from "@cloud/telemetry";

/** A bounded share of the connections to Postgres, for reads that take long: searches and deep pages. */
export interface HeavyReads {
  /**
   * Runs a read when it is its organization's turn. Does not begin it once `signal` is aborted.
   *
   * @throws OVERLOADED if as many wait already, or if its turn does not come in time; the reason of `signal`.
   */
  run<T>(organization: string, signal: AbortSignal, read: () => Promise<T>): Promise<T>;
}

/** The database of a service's calls. Their reads that take long begin at once if `heavyReads` is absent. */
export interface ServiceDatabase extends Database {
  readonly heavyReads?: HeavyReads;
}

/** One for all refusals: to create it costs more than to send it. */
const busy = fail(Reason.OVERLOADED);

/**
 * Bounds the reads that run, and those of one organization, so that it never has the whole share. 16 clients that search
 * 100,000 records would otherwise have all 10 connections of the pool, and each request of another organization would wait
 * for several searches.
 *
 * While others of its organization wait, a read keeps its place for as long again as it took, so the organization uses at
 * most half of the time of its places. What becomes of the rows takes time, too, in this program and in others
 * (docs/adr/0023-a-share-for-heavy-reads.md has the figures).
 */
export function createHeavyReads(limits: SemaphoreLimits, telemetry: Telemetry): HeavyReads {
  const metrics = createSemaphoreMetrics(telemetry, "heavy_reads", "Searches and deep pages");
  const places = createSemaphore({ ...limits, refusal: busy }, metrics);
  return {
    async run(organization, signal, read) {
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
