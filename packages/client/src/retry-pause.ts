import { RetryInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { ConnectError } from "@connectrpc/connect";

const FIRST_MS = 100;
const LONGEST_MS = 3_000;

/**
 * Returns the pause in milliseconds after so many tries: a random part of 100 ms, doubled for each further try, of at most
 * 3 s, so that clients that failed together do not return together. It is added to what the service asks for.
 */
export function pauseBefore(tries: number, requestedMs: number, random: () => number = Math.random): number {
  return requestedMs + random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1));
}

/** Returns the milliseconds that the service asks to wait, by RetryInfo or `Retry-After` in seconds; 0 if it does not. */
export function requestedPause(error: unknown): number {
  if (!(error instanceof ConnectError)) return 0;
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  if (delay !== undefined) return Math.max(0, Number(delay.seconds) * 1_000 + delay.nanos / 1_000_000);
  const header = error.metadata.get("Retry-After") ?? "";
  return /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : 0;
}
