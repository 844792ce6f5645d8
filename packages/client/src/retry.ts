import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "@cloud/proto/google/api/annotations_pb";
import { RetryInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { fateOf } from "./fate-of.ts";

interface RepeatRules {
  /** Milliseconds for all tries and the pauses between them. */
  readonly timeoutMs: number;
  readonly maxTries: number;
  readonly budget: RetryBudget;
  readonly signal: AbortSignal | undefined;
  /** Whether the call may be sent again after it may have been processed. */
  readonly mayBeRepeated: boolean;
}

/**
 * Repeats an exchange until it succeeds, or fails in a way that another try does not change. Throws the last failure if
 * the next try would begin after the deadline. `exchange` receives the milliseconds that are left.
 */
export async function repeatInTime<T>(rules: RepeatRules, exchange: (remainingMs: number) => Promise<T>): Promise<T> {
  const { timeoutMs, maxTries, budget, signal, mayBeRepeated } = rules;
  const deadline = performance.now() + timeoutMs;
  for (let tries = 1; ; tries++) {
    try {
      const reply = await exchange(Math.max(1, Math.ceil(deadline - performance.now())));
      budget.succeeded();
      return reply;
    } catch (error) {
      const fate = fateOf(error);
      if (fate === "final") throw error;
      budget.failed();
      const isRepeatable = fate === "not begun" || mayBeRepeated;
      if (!isRepeatable || tries >= maxTries || !budget.allowsRetry() || signal?.aborted) throw error;
      const pauseMs = pauseBefore(tries, requestedPause(error));
      if (performance.now() + pauseMs >= deadline) throw error;
      await pause(pauseMs, signal);
    }
  }
}

/** Resolves after the pause. @throws CANCELED as soon as the caller leaves */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(ConnectError.from(signal?.reason, Code.Canceled));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * Creates a budget of the retries of all calls of a client, so that clients do not multiply the load of a service that
 * fails: as in gRPC's retry throttling (proposal A6), a failure costs 1, and retries stop at half.
 */
export function createRetryBudget() {
  let left = MAX_BUDGET;
  return {
    succeeded: () => {
      left = Math.min(MAX_BUDGET, left + PER_SUCCESS);
    },
    failed: () => {
      left = Math.max(0, left - 1);
    },
    allowsRetry: () => left > MAX_BUDGET / 2,
  };
}

type RetryBudget = ReturnType<typeof createRetryBudget>;

const MAX_BUDGET = 100;
/** The failures that a success makes up for: at most a tenth of the calls are retries in the long run. */
const PER_SUCCESS = 0.1;

/**
 * Returns the pause in milliseconds after so many tries: a random part of 100 ms, doubled for each further try, of at
 * most 3 s, so that clients that failed together do not return together. It is added to what the service asks for.
 */
export function pauseBefore(tries: number, requestedMs: number, random: () => number = Math.random): number {
  return requestedMs + random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1));
}

const FIRST_MS = 100;
const LONGEST_MS = 3_000;

/**
 * Returns the milliseconds that the service asks to wait, by RetryInfo or `Retry-After` in seconds; 0 if it does not.
 */
export function requestedPause(error: unknown): number {
  if (!(error instanceof ConnectError)) return 0;
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  if (delay !== undefined) return Math.max(0, Number(delay.seconds) * 1_000 + delay.nanos / 1_000_000);
  const header = error.metadata.get("Retry-After") ?? "";
  return /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : 0;
}

/**
 * Returns whether a call has the same outcome if it is sent again after it may have been processed:
 *
 * - a read, by its REST rule;
 * - a creation with an idempotency key, whose first reply is stored;
 * - an assignment, which returns the link that exists;
 * - an update without an entity tag. With one, the first try may have changed the tag, and the second would fail.
 *
 * A deletion is not: the second would fail with NOT_FOUND, as if the first had not taken place.
 */
export function mayRepeat(method: DescMethod, input: object, header: Headers): boolean {
  if (createsRecord(method)) return header.has("Idempotency-Key");
  if (method.name.startsWith("Assign")) return true;
  const verb = verbOf(method);
  return verb === "get" || (verb === "put" && !hasEntityTag(input, header));
}

/** Returns whether an RPC creates a record: at most once for each idempotency key. */
export const createsRecord = ({ name }: DescMethod): boolean => name.startsWith("Create");

function hasEntityTag(input: object, header: Headers): boolean {
  return header.has("If-Match") || ("etag" in input && input.etag !== undefined && input.etag !== "");
}

function verbOf(method: DescMethod): string | undefined {
  return hasOption(method, http) ? getOption(method, http).pattern.case : undefined;
}
