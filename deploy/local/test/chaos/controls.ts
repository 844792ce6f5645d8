import type { RemovedProtection } from "@cloud/testkit";

/**
 * What the controls of the runs take out of the real programs, each a place in the source. A test holds that each is
 * still found there: a change of the source that moves a protection must move it here too.
 */
export const controls = {
  /** Promise 1. Events are published by the request, beside its transaction; what NATS does not take is given up. */
  outbox: [
    {
      file: "packages/messaging/src/append-event.ts",
      find: "await tx.query(insertAndNotify, [eventSubject(schema), schema.typeName, payload, JSON.stringify(context)]);",
      replace: `
        const { publishFromRequest } = await import("../../../deploy/local/test/chaos/ledger/publish-from-request.ts");
        void context;
        await publishFromRequest(eventSubject(schema), schema.typeName, payload);`,
    },
  ],
  /** The relay does not look for what the stream has lost. */
  rewind: [
    {
      file: "packages/messaging/src/relay/check-outbox.ts",
      find: "let total = rewind ? await unpublishLostEvents(db, stream, backlog.now) : 0;",
      replace: "let total = 0;",
    },
  ],
  /** A consumer does not remember what it has applied. */
  inbox: [
    {
      file: "packages/messaging/src/consumer/handle-delivery.ts",
      find: "if (received || !inbox) await apply(tx, envelope);",
      replace: "await apply(tx, envelope);",
    },
  ],
  /** The relay is not woken by a commit: it looks once a second. */
  notify: [
    {
      file: "packages/messaging/src/relay/start-relay.ts",
      find: "onNotification: wake.now,",
      replace: "onNotification: () => undefined,",
    },
  ],
  /** Promise 5. Nobody hears that a connection to Postgres was lost. */
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
  /** Promise 6. Nobody gives up: not on Postgres, not on a peer, not the gateway (but at the longest that services take). */
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
      file: "packages/rpc/src/service-transport.ts",
      find: "deadlineMs = 5_000 } = options;",
      replace: "} = options; const deadlineMs = 30_000;",
    },
    {
      file: "packages/rpc/src/service-transport.ts",
      find: "pingIntervalMs: 1_000,",
      replace: "",
    },
    {
      file: "gateway/src/gateway.ts",
      find: "requestDeadlineMs = 10_000 } = config;",
      replace: "} = config; const requestDeadlineMs = 30_000;",
    },
  ],
  /** Promise 8. The consumer of a deletion ends the links that there are, and leaves nothing for an assignment to see. */
  tombstone: [
    {
      file: "services/workspace/src/assignments/end-references.ts",
      find: "await upsertReferenceTombstone(tx, kind, id);",
      replace: "",
    },
    {
      file: "services/identity/src/consumers/workspace-deleted.ts",
      find: "await tombstoneWorkspaceReference(tx, { id, organizationId: event.organizationId as OrganizationId });",
      replace: "",
    },
  ],
  /** Promise 8. The owner of what is linked answers for the lists also what it has deleted. */
  ownersLists: [
    {
      file: "services/environment/src/environments/environment-sql.ts",
      find: "id = any($2) and deleted_at is null",
      replace: "id = any($2)",
    },
    {
      file: "services/identity/src/teams/teams-sql.ts",
      find: 'const where = "deleted_at is null and " + condition;',
      replace: "const where = condition;",
    },
  ],
  /** Promise 13. Migrations are not applied one process after the other: all begin at once (migrate-together.ts). */
  migrationLock: [
    {
      file: "packages/postgres/src/migrate.ts",
      find: "await client.query(\"select pg_advisory_lock(hashtextextended('migrate ' || $1, 0))\", [schema]);",
      replace: "await client.query('select pg_advisory_lock_shared(4711)');",
    },
  ],
  /** Promise 15. The reconciler's grace counts also while NATS is down. */
  connectedGrace: [
    {
      file: "packages/service/src/reconciler/wait-connected.ts",
      find: "delay(transport.isConnected() ? ms : A_DAY_MS, undefined, { signal, ref: false });",
      replace: "delay(ms, undefined, { signal: stop, ref: false }); return;",
    },
  ],
  /** Promise 14. A program ends at SIGTERM, as one without a handler does. */
  drain: [
    {
      file: "packages/rpc/src/server/run-program.ts",
      find: "first.leave();",
      replace: "process.exit(0);",
    },
  ],
  /** Promise 16. A COMMIT that failed counts as one that was confirmed. */
  confirmedCommit: [
    {
      file: "packages/postgres/src/run-transaction.ts",
      find: 'await client.query("commit");',
      replace: 'await client.query("commit").catch(() => ({ command: "COMMIT" }));',
    },
  ],
  /** Promise 17. Who stands behind a token is remembered for 5 s, by time only. */
  authenticationAsked: [
    {
      file: "packages/rpc/src/authenticator.ts",
      find: "return await auth.authenticate({ token: bearer });",
      replace: `
        const known = (globalThis.identities ??= new Map()).get(bearer);
        if (known !== undefined && performance.now() - known.at < 5_000) return known.identity;
        const identity = await auth.authenticate({ token: bearer });
        globalThis.identities.set(bearer, { at: performance.now(), identity });
        return identity;`,
    },
  ],
} satisfies Record<string, readonly RemovedProtection[]>;

export type Protection = keyof typeof controls;
