/** Milliseconds of each unit of `grpc-timeout`. */
const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001, n: 0.000_001 };

/**
 * Shortens a deadline that is longer than `maxMs`, and removes that of a stream: the library refuses such a call, after it
 * has begun a timer that Node cannot hold.
 */
export function shortenDeadline(header: Headers, maxMs: number, isStream: boolean): void {
  const shorten = (name: string, ms: number | undefined, longest: string) => {
    if (ms === undefined || ms <= maxMs) return;
    if (isStream) header.delete(name);
    else header.set(name, longest);
  };
  shorten("connect-timeout-ms", connectTimeout(header.get("connect-timeout-ms")), String(maxMs));
  shorten("grpc-timeout", grpcTimeout(header.get("grpc-timeout")), `${maxMs}m`);
}

/** Undefined if it is absent or malformed, which the library refuses. */
const connectTimeout = (value: string | null): number | undefined =>
  /^\d{1,10}$/.test(value ?? "") ? Number(value) : undefined;

function grpcTimeout(value: string | null): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(value ?? "") ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] ?? 0);
}
