import type { RemovedProtection } from "@cloud/testkit";

/** What holds against faults of Postgres, peers and the programs themselves. */
export const dependencyControls = {
  /** Promise 5. Lost connections to Postgres have no error listener. */
  errorListeners: [
    {
      file: "packages/postgres/src/open-database.ts",
      find: 'pool.on("error", onFault);',
      replace: "",
    },
    {
      file: "packages/postgres/src/open-database.ts",
      find: 'pool.on("connect", (client) => client.on("error", onFault));',
      replace: "",
    },
  ],
  /** Promise 6. No time limits on Postgres, peers and the gateway, other than the longest of the services. */
  timeLimits: [
    {
      file: "packages/postgres/src/connection-settings.ts",
      find: "connectionTimeoutMillis: options.connectTimeoutMs,",
      replace: "",
    },
    {
      file: "packages/postgres/src/connection-settings.ts",
      find: "statement_timeout: statementTimeoutMs,",
      replace: "",
    },
    {
      file: "packages/postgres/src/connection-settings.ts",
      find: "...(statementTimeoutMs > 0 && {",
      replace: "...(false && {",
    },
    {
      file: "packages/rpc/src/client/service-transport.ts",
      find: "deadlineMs = 5_000, silentMs = 0.8 * deadlineMs, tls, tracing } = options;",
      replace: "silentMs = 0, tls, tracing } = options; const deadlineMs = 30_000;",
    },
    {
      file: "packages/rpc/src/client/peer-connections.ts",
      find: "this.#silentMs = silentMs;",
      replace: "this.#silentMs = 0 * silentMs;",
    },
    {
      file: "gateway/src/gateway.ts",
      find: "requestDeadlineMs = 10_000, limits = DEFAULT_LIMITS, peerTls: tls } = config;",
      replace: "limits = DEFAULT_LIMITS, peerTls: tls } = config; const requestDeadlineMs = 30_000;",
    },
  ],
  /** Promise 13. Migrations are not serialized between processes: all begin at once (migrate-together.ts). */
  migrationLock: [
    {
      file: "packages/postgres/src/migrate.ts",
      find: "while (!(await tryLock(client, schema))) await wait(50);",
      replace: "await client.query('select pg_advisory_lock_shared(4711)');",
    },
  ],
  /** Promise 14. A program exits at SIGTERM, like one without a handler. */
  drain: [
    {
      file: "packages/program/src/run-program.ts",
      find: "first.leave();",
      replace: "process.exit(0);",
    },
  ],
  /** Promise 16. A failed COMMIT counts as confirmed. */
  confirmedCommit: [
    {
      file: "packages/postgres/src/run-transaction.ts",
      find: "const committed = this.#query(commit);",
      replace: 'const committed = this.#query(commit).catch(() => ({ command: "COMMIT" }));',
    },
  ],
  /** Promise 17. The user behind a token is cached for 5 s, by time only. */
  authenticationPerRequest: [
    {
      file: "packages/rpc/src/authenticator.ts",
      find: 'const state = hasTokenForm(bearer) ? await lookUp(bearer) : "refused";',
      replace: `
        const known = (globalThis.identities ??= new Map()).get(bearer);
        if (known !== undefined && performance.now() - known.at < 5_000) return known.state;
        const state = hasTokenForm(bearer) ? await lookUp(bearer) : "refused";
        globalThis.identities.set(bearer, { at: performance.now(), state });`,
    },
  ],
} satisfies Record<string, readonly RemovedProtection[]>;
