import type { UniversalHandler } from "@connectrpc/connect/protocol";
import type { UniversalRequest } from "./refuse-undecodable.ts";

/** Milliseconds of each unit of `grpc-timeout`. */
const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001, n: 0.000_001 };

/**
 * Serves a call whose deadline is longer than `maxMs` under `maxMs`, and a stream without the caller's deadline: the
 * library refuses such a call, after it has begun a timer that Node cannot hold.
 */
export function shortenDeadline(handler: UniversalHandler, maxMs: number): UniversalHandler {
  const isUnary = handler.method.methodKind === "unary";
  const shorten = (header: Headers, name: string, ms: number | undefined, longest: string) => {
    if (ms === undefined || ms <= maxMs) return;
    if (isUnary) header.set(name, longest);
    else header.delete(name);
  };
  const handle = (request: UniversalRequest) => {
    const { header } = request;
    shorten(header, "connect-timeout-ms", connectTimeout(header.get("connect-timeout-ms")), String(maxMs));
    shorten(header, "grpc-timeout", grpcTimeout(header.get("grpc-timeout")), `${maxMs}m`);
    return handler(request);
  };
  return Object.assign(handle, handler);
}

/** Undefined if it is absent or malformed, which the library refuses. */
const connectTimeout = (value: string | null): number | undefined =>
  /^\d{1,10}$/.test(value ?? "") ? Number(value) : undefined;

function grpcTimeout(value: string | null): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(value ?? "") ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] ?? 0);
}
