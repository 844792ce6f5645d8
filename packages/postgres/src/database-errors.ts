import { isTlsFault } from "@cloud/runtime";

/**
 * Thrown when the server cannot be reached, is shutting down, is out of resources or did not respond in time. The
 * statement may have taken effect although its result was lost, so only idempotent statements may be repeated.
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

/** Thrown for a standby, or a server whose sessions are set to be read-only. */
export class ReadOnlyServer extends Error {
  readonly code = READ_ONLY;

  constructor() {
    super("the server accepts no writes: it is a standby, or default_transaction_read_only is on");
    this.name = "ReadOnlyServer";
  }
}

/** The SQLSTATE of a write to a server that accepts none, and the code of `ReadOnlyServer`. */
export const READ_ONLY = "25006";

/** Thrown when the file of a password cannot be read. */
export class UnreadablePassword extends Error {
  readonly code = "28P01";

  constructor(file: string, cause: unknown) {
    super(`the file ${file} cannot be read: ${codeOf(cause)}`, { cause });
    this.name = "UnreadablePassword";
  }
}

/** Wraps a fault of the server or a time-out in a DatabaseUnavailable; returns any other error unchanged. */
export function classifyFault(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return error;
  const code = textOf(error, "code");
  const message = textOf(error, "message");
  if (timeOutCodes.has(code) || timeOutMessages.has(message)) return new DatabaseUnavailable(error, true);
  if (faultCode.test(code) || faultMessages.has(message) || isTlsRefusal(error))
    return new DatabaseUnavailable(error, false); // protects: refused-login
  return error;
}

/** Wraps any error of connecting in a DatabaseUnavailable: none of them is the fault of a statement. */
export function classifyConnectFault(error: unknown): DatabaseUnavailable {
  const fault = classifyFault(error);
  return fault instanceof DatabaseUnavailable ? fault : new DatabaseUnavailable(error, false); // protects: connecting
}

/**
 * Returns whether a connection was refused, which lasts until a password, a right, a setting or a certificate is
 * changed.
 */
export function isRefusal(error: unknown): boolean {
  const message = textOf(error, "message");
  return isTlsRefusal(error) || refusalCode.test(codeOf(error)) || refusalMessage.test(message);
}

/** Returns whether an error is a unique violation (SQLSTATE 23505): of the constraint or index, if one is named. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (codeOf(error) !== "23505") return false;
  return constraint === undefined || (error as { constraint?: string }).constraint === constraint;
}

/** Returns the SQLSTATE of a Postgres error, the code of a socket error, or an empty string. */
export function codeOf(error: unknown): string {
  return textOf(error, "code");
}

/** Returns whether a connection failed at TLS, which lasts until a certificate or a setting is changed. */
function isTlsRefusal(error: unknown): boolean {
  return isTlsFault(error) || textOf(error, "message") === "The server does not support SSL connections";
}

// By shape, not by `instanceof`: a socket error may come from another realm (jest gives each test its own).
function textOf(error: unknown, property: "code" | "message"): string {
  const value = (error as Partial<Record<typeof property, unknown>> | null | undefined)?.[property];
  return typeof value === "string" ? value : "";
}

// 57014 statement_timeout, 55P03 lock_timeout, 25P03/25P04 idle and transaction time limits (Postgres, Appendix A).
const timeOutCodes = new Set(["57014", "55P03", "25P03", "25P04", "ETIMEDOUT"]);

// 08 connection, 28 and 3D000 a login or database that is refused, 53 resources, 57P0x shutdown and start-up, 25006 a
// primary that became a standby; then sockets and DNS.
const faultCode =
  /^(08...|28...|3D000|53...|57P0.|25006|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|ENOENT)$/;

// The refusals of a connection, besides the class 28: no such database, none that accepts connections, no right to
// connect, a setting that the server does not know or accept.
const refusalCode = /^(28...|3D000|55000|42501|42704|22023)$/;

// PgBouncer refuses with the code 08P01, whatever the reason, and also when it cannot reach the server. `pg` refuses a
// server that asks for a password where there is none.
const refusalMessage = /^(no such (user|database)|unsupported startup parameter|SASL: |password authentication failed)/;

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
