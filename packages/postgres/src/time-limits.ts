/** How long things of a database may take, in milliseconds. docs/time-limits.md tells how they fit together, and why. */
export const timeLimits = {
  /** To make a connection, and to get a free one of the pool. */
  connectMs: 2000,
  /** Of one statement, waiting for locks included: the server ends it. */
  statementMs: 3000,
  /** How much later the client gives up on the answer of a statement: the server is silent, the connection is dropped. */
  silenceMs: 1000,
  /** Of a transaction that sends nothing: the server ends it, so that a client it cannot hear of holds no locks. */
  idleTransactionMs: 5000,
  /** For a server to confirm that a connection was closed. */
  goodbyeMs: 1000,
} as const;
