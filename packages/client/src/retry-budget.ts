/** Limits the retries of all calls of a client, so that clients do not multiply the load of a service that fails. */
export interface RetryBudget {
  succeeded(): void;
  failed(): void;
  /** Returns whether a retry may be sent. */
  allowsRetry(): boolean;
}

const MOST = 100;
/** Of the failures that a success makes up for: at most a tenth of the calls are retries in the long run. */
const PER_SUCCESS = 0.1;

/** Creates a budget as in gRPC's retry throttling (proposal A6): a failure costs 1, and retries stop at half. */
export function createRetryBudget(): RetryBudget {
  let left = MOST;
  return {
    succeeded: () => {
      left = Math.min(MOST, left + PER_SUCCESS);
    },
    failed: () => {
      left = Math.max(0, left - 1);
    },
    allowsRetry: () => left > MOST / 2,
  };
}
