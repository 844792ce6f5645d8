import type { IncomingHttpHeaders } from "node:http";
import { TranscodingError } from "../errors/transcoding-error.ts";

/**
 * Returns the milliseconds that a client gives its request, by `grpc-timeout` or `connect-timeout-ms`, the shorter of
 * both; undefined without either. Throws a TranscodingError of kind invalid-header.
 */
export function callerDeadline(headers: IncomingHttpHeaders): number | undefined {
  const grpc = headers["grpc-timeout"];
  const connect = headers["connect-timeout-ms"];
  if (grpc === undefined && connect === undefined) return undefined;
  return Math.min(readGrpc(grpc), readConnect(connect));
}

/** Up to eight digits and a unit (gRPC over HTTP/2, Timeout). */
function readGrpc(text: string | string[] | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const [, digits = "", unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(String(text)) ?? [];
  const ms = Number(digits) * (UNIT_MS[unit] ?? 0);
  if (ms > 0) return ms;
  throw refused("grpc-timeout", "up to 8 digits above 0 and one of H, M, S, m, u and n");
}

/** Up to ten digits (Connect, Timeout-Milliseconds). */
function readConnect(text: string | string[] | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const ms = /^\d{1,10}$/.test(String(text)) ? Number(text) : 0;
  if (ms > 0) return ms;
  throw refused("connect-timeout-ms", "up to 10 digits above 0");
}

function refused(header: string, accepts: string): TranscodingError {
  return new TranscodingError("invalid-header", { parameter: header, accepts });
}

const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };
