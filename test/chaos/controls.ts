import type { RemovedProtection } from "@cloud/testkit";

/**
 * The protections that the runs' controls remove from the real programs, each a place in the source. A test checks that
 * each is still found: a change that moves a protection must update it here.
 */
export const controls = {
  /**
   * Promise 1. Events are published by the request, outside of its transaction; an event that NATS does not accept is
   * lost.
   */
  outbox: [
    {
      file: "packages/messaging/src/append-event.ts",
      find: "insertAndPublish(tx, [eventSubject(schema), schema.typeName, payloads, JSON.stringify(context)]);",
      replace: `
        void [tx, context];
        void import("../../../test/chaos/ledger/publish-from-request.ts").then(async ({ publishFromRequest }) => {
          for (const payload of payloads) await publishFromRequest(eventSubject(schema), schema.typeName, payload);
        });`,
    },
  ],
  /** The relay does not check for events that the stream has lost. */
  rewind: [
    {
      file: "packages/messaging/src/relay/check-outbox.ts",
      find: "let lost = await unpublishLostEvents(db, stream, backlog.lastPublication);",
      replace: "let lost = 0;",
    },
  ],
  /** Promise 21. The relay does not check for purged or deleted messages. */
  holes: [
    {
      file: "packages/messaging/src/relay/check-outbox.ts",
      find: "lost += await removed.unpublish(stream);",
      replace: "",
    },
  ],
  /** Promise 21. A publication that the server reports as a duplicate counts, whatever the stream holds. */
  judgedDuplicates: [
    {
      file: "packages/messaging/src/nats/publish-event.ts",
      find: "if ((await readEventId(nc, sequence)) === message.id) return { sequence, isNew: false };",
      replace: "return { sequence, isNew: false };",
    },
  ],
  /** Promise 24. A lease lasts until the clock reaches its end. */
  leaseLength: [
    {
      file: "packages/messaging/src/relay/outbox-sql.ts",
      find: "claimed_until not between now() and now() + interval '11 seconds'",
      replace: "claimed_until < now()",
    },
  ],
  /** Promise 24. Events published later than now, by the clock, are not checked in a new stream. */
  publicationOrder: [
    {
      file: "packages/messaging/src/relay/outbox-sql.ts",
      find: `            and coalesce(publication, 0) <= $3
          order by stream_created_at desc, stream_sequence desc
          limit 500
          for update skip locked
        ) earlier_stamp`,
      replace: `            and coalesce(publication, 0) <= $3
            and published_at < now()
          order by stream_created_at desc, stream_sequence desc
          limit 500
          for update skip locked
        ) earlier_stamp`,
    },
  ],
  /** Promise 26. A stream or durable is used as it is. */
  configuration: [
    {
      file: "packages/messaging/src/nats/keep-configuration.ts",
      find: "const present = await tryUpdate(actual, update);",
      replace: "const present = actual; void tryUpdate; void update; if (present) return present;",
    },
  ],
  /** Promise 27. A JetStream that does not respond is not detected. */
  jetStreamSilence: [
    {
      file: "packages/messaging/src/nats/jetstream-silence.ts",
      find: 'if (connection.current() !== undefined) conditions.raise("jetstream-silent", MESSAGE);',
      replace: "",
    },
  ],
  /** A consumer does not record what it has applied. */
  inbox: [
    {
      file: "packages/messaging/src/consumer/apply-once.ts",
      find: "const received = events.filter((_, index) => isNew[index]);",
      replace: "const received = events;",
    },
  ],
  /** A commit does not wake the relay: it polls once a second. */
  notify: [
    {
      file: "packages/messaging/src/relay/start-relay.ts",
      find: "onNotification: wake.now,",
      replace: "onNotification: () => undefined,",
    },
    {
      file: "packages/messaging/src/relay/start-relay.ts",
      find: "const endHandingOver = registerRelay(db, { ...loop, wake: wake.now });",
      replace: "const endHandingOver = () => undefined; void registerRelay;",
    },
  ],
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
      find: "deadlineMs = 5_000, tls } = options;",
      replace: "tls } = options; const deadlineMs = 30_000;",
    },
    {
      file: "packages/rpc/src/client/peer-connections.ts",
      find: "const GONE_AFTER = 16;",
      replace: "const GONE_AFTER = Number.POSITIVE_INFINITY;",
    },
    {
      file: "gateway/src/gateway.ts",
      find: "requestDeadlineMs = 10_000, limits = DEFAULT_LIMITS, peerTls: tls } = config;",
      replace: "limits = DEFAULT_LIMITS, peerTls: tls } = config; const requestDeadlineMs = 30_000;",
    },
  ],
  /**
   * Promise 8. The consumer of a deletion deletes the existing links, and leaves no tombstone for an assignment to see.
   */
  tombstone: [
    {
      file: "services/workspace/src/links/unlink-resources.ts",
      find: "await upsertReferenceTombstones(tx, kind, ids);",
      replace: "",
    },
    {
      file: "services/identity/src/consumers/workspace-deleted.ts",
      find: "await upsertWorkspaceTombstones(tx, workspaces);",
      replace: "",
    },
  ],
  /** Promise 8. The owner of linked records includes deleted ones in lists. */
  ownersLists: [
    {
      file: "services/environment/src/environments/environment-sql.ts",
      find: "const live = sql`",
      replace: "const live = condition; void sql`",
    },
    {
      file: "services/identity/src/teams/team-sql.ts",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source file.
      find: "const live = sql`organization_id = $1 and deleted_at is null and $1 ${isNotEnding}`;",
      replace: "const live = sql`organization_id = $1`;",
    },
  ],
  /** Promise 8. An owner lists by its copy of a workspace's links as it is, without what has changed since. */
  currentCopies: [
    {
      file: "packages/service/src/copied-links/update-link-copy.ts",
      find: "if (copy === undefined || !isCopyOf(copy, links)) throw outdated(copy);",
      replace: "if (copy === undefined) throw outdated(copy);",
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
  /** Promise 15. The reconciler's grace period also elapses while NATS is down. */
  connectedGrace: [
    {
      file: "packages/service/src/reconciler/wait-connected.ts",
      find: "delay(transport.isConnected() ? ms : A_DAY_MS, undefined, { signal, ref: false });",
      replace: "delay(ms, undefined, { signal: stop, ref: false }); return;",
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
      file: "packages/postgres/src/transaction-statements.ts",
      find: "await run(sql`commit`);",
      replace: 'await run(sql`commit`).catch(() => ({ command: "COMMIT" }));',
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
  /** Promise 22. `npm start` does not watch its servers. */
  serversWatched: [
    {
      file: "packages/local-servers/src/keep-running.ts",
      find: "const how = await endOf(life, stopping);",
      replace: "const how = undefined;",
    },
  ],
  /** Promise 22. A server that keeps ending is restarted indefinitely. */
  startsLimited: [
    {
      file: "packages/local-servers/src/keep-running.ts",
      find: "if (recent >= MOST_STARTS) return false;",
      replace: "",
    },
  ],
  /** Promise 23. `npm start` does not watch npm. */
  npmWatched: [
    {
      file: "packages/local-stack/src/main.ts",
      find: "watchNpm(resolve);",
      replace: "",
    },
  ],
  /** Promise 28. No file marks an unfinished first start. */
  firstStartMarked: [
    {
      file: "packages/local-stack/src/first-start.ts",
      find: 'if (demo) await writeFile(paths.firstStart, "");',
      replace: "if (demo) {}",
    },
  ],
  /** Promise 28. The mark alone counts, even if there is a demo.json. */
  finishedByDemo: [
    {
      file: "packages/local-stack/src/first-start.ts",
      find: "const isUnfinished = existsSync(paths.firstStart) && !existsSync(paths.demo);",
      replace: "const isUnfinished = existsSync(paths.firstStart);",
    },
  ],
  /** Promise 28. Data of earlier starts are marked like those of a first start. */
  keptDataUnmarked: [
    {
      file: "packages/local-stack/src/first-start.ts",
      find: "if (existsSync(clusterFolderOf(paths.postgres))) return finishFirstStart(folder);",
      replace: "",
    },
  ],
  /** Promise 28. Servers of a killed start are not stopped. */
  leftoversStopped: [
    {
      file: "packages/local-stack/src/start-servers.ts",
      find: "await stopLeftoverPostgres(paths.postgres, print);",
      replace: "",
    },
    {
      file: "packages/local-stack/src/start-servers.ts",
      find: "await stopLeftoverNats(paths.nats, print);",
      replace: "",
    },
  ],
  /** Promise 18. A record unknown to its owner counts as deleted, whatever database the owner uses. */
  unknownIsNotDeleted: [
    {
      file: "packages/service/src/owners/create-owner.ts",
      find: 'ids.map((id) => [id, "unknown"])',
      replace: 'ids.map((id) => [id, "deleted"])',
    },
    {
      file: "packages/service/src/owners/create-owner.ts",
      find: "await assertKnown(installationId);",
      replace: "",
    },
  ],
  /** Not a protection: unacknowledged messages are redelivered after 1 s, so that a run takes seconds. */
  ackWait: [
    {
      file: "packages/messaging/src/nats/topology.ts",
      find: "ackWaitMs: 10_000,",
      replace: "ackWaitMs: 1_000,",
    },
    {
      file: "packages/messaging/src/consumer/start-consumer.ts",
      find: "}, 3000);",
      replace: "}, 300);",
    },
  ],
  /** Promise 25. Every crash during an attempt counts, even while it waited. */
  patience: [
    {
      file: "packages/messaging/src/consumer/begun-tries-sql.ts",
      find: "set tries = begun.tries + case when begun.waits then 0 else 1 end, waits = false",
      replace: "set tries = begun.tries + 1, waits = false",
    },
    {
      file: "packages/messaging/src/consumer/begun-tries-sql.ts",
      find: "where begun.tries < $3 or begun.waits",
      replace: "where begun.tries < $3",
    },
  ],
  /** Promise 20. A consumer trusts a deletion event without verification. */
  verifiedDeletions: [
    {
      file: "packages/service/src/owners/deletion-effect.ts",
      find: 'return verdicts[(await owner.statesOf(kind, [id])).get(id) ?? "unknown"];',
      replace: 'return "confirmed";',
    },
  ],
  /** Promise 19. A tombstone stays, whatever its owner reports. */
  clearedTombstones: [
    {
      file: "packages/service/src/reconciler/look-for-differences.ts",
      find: 'live.push(...rows.filter(({ id }) => states.get(id) === "live"));',
      replace: "",
    },
  ],
  /** Promise 29. All old rows are deleted in one transaction. */
  purgeBatches: [
    {
      file: "packages/postgres/src/purge/purge-table.ts",
      find: "const BATCH = { least: 50, first: 250, most: 1_000 };",
      replace: "const BATCH = { least: 50, first: 1_000_000_000, most: 1_000_000_000 };",
    },
  ],
  /** Promise 30. All records of a kind are deleted in one transaction. */
  deletionBatches: [
    {
      file: "packages/service/src/organizations/delete-organization.ts",
      find: "const BATCH = { least: 20, first: 60, most: 250 };",
      replace: "const BATCH = { least: 20, first: 1_000_000, most: 1_000_000 };",
    },
  ],
  /** Promise 30. A transaction waits for a statement after it has locked the organization. */
  deletionRoundTrip: [
    {
      file: "packages/service/src/organizations/delete-organization.ts",
      find: `    await db.withTransaction((tx) => {
      lockOrganizationTombstone(tx, id);
      queue(tx);
    });`,
      replace: `    await db.withTransaction(async (tx) => {
      lockOrganizationTombstone(tx, id);
      await tx.query("select pg_sleep(0.05)" as never);
      queue(tx);
    });`,
    },
  ],
  /** Promise 30. The event is acknowledged while its records are being deleted. */
  deletionBeforeAck: [
    {
      file: "packages/messaging/src/consumer/handle-delivery.ts",
      find: 'if ((await prepareEvent(handling, received.event)) === "over") return "over";',
      replace: "void prepareEvent(handling, received.event).catch(() => undefined);",
    },
  ],
} satisfies Record<string, readonly RemovedProtection[]>;

export type Protection = keyof typeof controls;
