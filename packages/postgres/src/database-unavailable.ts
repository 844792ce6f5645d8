import { isTlsFault } from "@cloud/telemetry";

/**
 * The server cannot be reached, is shutting down, is out of resources or did not respond in time. The statement may
 * have taken effect although its result was lost, so only idempotent statements may be repeated.
 */
export class DatabaseUnavailable extends Error {
  /** True when a time limit expired, false when the server or the connection failed. */
  readonly timedOut: boolean;

  constructor(cause: unknown, timedOut: boolean) {
    super(timedOut ? "the database did not answer in time" : "the database is unavailable", { cause });
    this.name = "DatabaseUnavailable";
    this.timedOut = timedOut;
  }
}

/** Wraps a fault of the server or a time-out in a DatabaseUnavailable; returns any other error unchanged. */
export function classifyFault(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return error;
  const code = textOf(error, "code");
  const message = textOf(error, "message");
  if (timeOutCodes.has(code) || timeOutMessages.has(message)) return new DatabaseUnavailable(error, true);
  if (faultCode.test(code) || faultMessages.has(message) || isTlsRefusal(error))
    return new DatabaseUnavailable(error, false);
  return error;
}

/** Returns whether a connection failed at TLS, which lasts until a certificate or a setting is changed. */
export function isTlsRefusal(error: unknown): boolean {
  return isTlsFault(error) || textOf(error, "message") === "The server does not support SSL connections";
}

/** Returns the SQLSTATE of a Postgres error, the code of a socket error, or an empty string. */
export function codeOf(error: unknown): string {
  return textOf(error, "code");
}

// By shape, not by `instanceof`: a socket error may come from another realm (jest gives each test its own).
function textOf(error: unknown, property: "code" | "message"): string {
  const value = (error as Partial<Record<typeof property, unknown>> | null | undefined)?.[property];
  return typeof value === "string" ? value : "";
}

// 57014 statement_timeout, 55P03 lock_timeout, 25P03/25P04 idle and transaction time limits (Postgres, Appendix A).
const timeOutCodes = new Set(["57014", "55P03", "25P03", "25P04", "ETIMEDOUT"]);

// 08 connection, 53 resources, 57P0x shutdown and start-up, 25006 a primary that became a standby; then sockets and DNS.
const faultCode =
  /^(08...|53...|57P0.|25006|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|ENOENT)$/;

// pg and pg-pool throw these without a code.
const timeOutMessages = new Set([
  "Query read timeout",
  "timeout exceeded when trying to connect",
  "timeout expired",
  "Connection terminated due to connection timeout",
]);

const faultMessages = new Set([
  "Connection terminated",
  "Connection terminated unexpectedly",
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
  "Cannot use a pool after calling end on the pool",
]);
