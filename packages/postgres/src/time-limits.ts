/** Time limits of database operations, in milliseconds. docs/time-limits.md describes how they relate, and why. */
export const timeLimits = {
  /** To open a connection, and to get a free one of the pool. */
  connectMs: 2000,
  /** Of one statement, waiting for locks included; enforced by the server. */
  statementMs: 3000,
  /** How much later the client gives up on a statement, after 4 s: the server does not respond, the connection is dropped. */
  silenceMs: 1000,
  /** Of an idle transaction; enforced by the server, so that an unreachable client holds no locks. */
  idleTransactionMs: 5000,
  /** For a server to confirm that a connection was closed. */
  goodbyeMs: 1000,
} as const;
