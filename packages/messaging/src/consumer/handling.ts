import type { Delivery } from "../event-transport.ts";
import type { ApplyInBatch } from "./batches.ts";
import type { ConsumerContext } from "./consumer-context.ts";
import type { Effect } from "./effect.ts";

/** The handling of one message, passed to each of its steps. */
export interface Handling {
  readonly context: ConsumerContext;
  readonly effect: Effect;
  readonly applyInBatch: ApplyInBatch;
  readonly delivery: Delivery;
  /** Aborted when the consumer stops or the session of the delivery ends. */
  readonly over: AbortSignal;
  /** Of metrics and log lines. */
  readonly labels: { readonly consumer: string; readonly type: string };
}
