import type { Database } from "@cloud/postgres";
import type { Logger } from "@cloud/telemetry";
import type { MessagingMetrics } from "../messaging-metrics.ts";
import type { Semaphore } from "../semaphore.ts";

/** State shared by the handling of all messages of a consumer. */
export interface ConsumerContext {
  readonly db: Database;
  readonly consumer: string;
  /** Held only while a step runs, so that a message waiting for its next attempt delays no other. */
  readonly semaphore: Semaphore;
  readonly metrics: MessagingMetrics;
  readonly log: Logger;
  /** Returns the signal that is aborted when the consumer stops or a session ends: one for all deliveries of a session. */
  readonly endOf: (session: AbortSignal) => AbortSignal;
}
