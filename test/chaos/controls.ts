import type { RemovedProtection } from "@cloud/testkit";

const PUBLISH = new URL("ledger/publish-from-request.ts", import.meta.url).href;

/** The protections that the runs' controls remove from the real programs. */
export const controls = {
  // Protections that keep events from being lost, applied twice or held up.

  /** Promise 1. The request publishes events outside of its transaction; an event that NATS does not accept is lost. */
  outbox: [
    {
      marker: "outbox",
      instead: `
        void import(${JSON.stringify(PUBLISH)}).then(async ({ publishFromRequest }) => {
          for (const payload of payloads) await publishFromRequest(eventSubject(schema), schema.typeName, payload);
        });
        return [];`,
    },
  ],
  /** Promise 31. A watch reads what is visible, although what is before it may become visible later. */
  finalLines: [{ marker: "final-lines" }],
  /** The relay does not check for events that the stream has lost. */
  rewind: [{ marker: "rewind", instead: "const lost = 0;" }],
  /** Promise 24. A lease lasts until the clock reaches its end. */
  leaseLength: [{ marker: "lease-length", instead: "and (claimed_until is null or claimed_until < now())" }],
  /** Promise 24. Events published later than now, by the clock, are not checked in a new stream. */
  publicationOrder: [
    { marker: "publication-order", instead: "and coalesce(publication, 0) <= $3 and published_at < now()" },
  ],
  /** Promise 26. A stream or durable is used as it is. */
  configuration: [{ marker: "stream-configuration", instead: "const present = actual; return present;" }],
  /** Promise 27. A JetStream that does not respond is not detected. */
  jetStreamSilence: [{ marker: "jetstream-silent" }],
  /** A consumer does not record what it has applied. */
  inbox: [{ marker: "inbox-once", instead: "const received = events;" }],
  /** A commit does not wake the relay: it polls once a second. */
  wakes: [{ marker: "relay-wakes", instead: "wake: () => undefined," }],
  /** Not a protection: unacknowledged messages are redelivered after 1 s, so that a run takes seconds. */
  ackWait: [
    { marker: "ack-wait", instead: "ackWaitMs: 1_000," },
    { marker: "keep-alive", instead: "}, 300);" },
  ],
  /** Promise 25. A message is parked at its third delivery. */
  deliveries: [{ marker: "most-deliveries", instead: "const MAX_DELIVERIES = 3;" }],

  // Protections that keep links and lists in agreement with the owners of the records.

  /** Promise 8. The consumer of a deletion deletes existing links, and leaves no tombstone for an assignment to see. */
  tombstone: [{ marker: "reference-tombstones" }, { marker: "workspace-tombstones" }],
  /** Promise 8. The owner of linked records includes deleted ones in lists. */
  ownersLists: [
    { marker: "live-environments", instead: "const live = condition;" },
    { marker: "live-teams", instead: "const live = sql`organization_id = $1`;" },
  ],
  /** Promise 21. The reconciler finds references to deleted records and leaves them. */
  repairs: [{ marker: "repairs", instead: "const { live } = await confirm(kind, found); const deleted = [];" }],
  /** Promise 15. The reconciler's grace period also elapses while NATS is down. */
  connectedGrace: [
    { marker: "grace-period", instead: "await delay(ms, undefined, { signal: stop, ref: false }); return;" },
  ],
  /** Promise 18. A record unknown to its owner counts as deleted, whatever database the owner uses. */
  unknownIsNotDeleted: [
    {
      marker: "unknown-is-unknown",
      instead: 'const states = new Map<string, RecordState>(ids.map((id) => [id, "deleted"]));',
    },
    { marker: "known-installation" },
  ],
  /** Promise 20. A consumer trusts a deletion event without verification. */
  verifiedDeletions: [{ marker: "verified-deletions", instead: 'return "confirmed";' }],
  /** Promise 19. A tombstone stays, whatever its owner reports. */
  clearedTombstones: [{ marker: "cleared-tombstones" }],

  // Protections against faults of Postgres, peers and the programs themselves.

  /** Promise 5. Lost connections to Postgres have no error listener. */
  errorListeners: [{ marker: "idle-client-errors" }, { marker: "busy-client-errors" }],
  /** Promise 6. No time limits on Postgres, peers and the gateway, other than the longest of the services. */
  timeLimits: [
    { marker: "connect-limit" },
    { marker: "statement-limit" },
    { marker: "pg-silence" },
    {
      marker: "peer-deadline",
      instead: "const { url, serviceToken, silentMs = 0, tls, tracing } = options; const deadlineMs = 30_000;",
    },
    { marker: "peer-silence", instead: "this.#silentMs = 0;" },
    {
      marker: "gateway-deadline",
      instead:
        "const { host, telemetry, limits = DEFAULT_LIMITS, peerTls: tls } = config; const requestDeadlineMs = 30_000;",
    },
  ],
  /** Promise 13. Migrations are not serialized between processes: all begin at once (migrate-together.ts). */
  migrationLock: [{ marker: "migration-lock", instead: "await client.query('select pg_advisory_lock_shared(4711)');" }],
  /** Promise 14. A program exits at SIGTERM, like one without a handler. */
  drain: [{ marker: "drain", instead: "process.exit(0);" }],
  /** Promise 16. A failed COMMIT counts as confirmed. */
  confirmedCommit: [
    {
      marker: "confirmed-commit",
      instead: 'const committed = end(client, begun, last).catch(() => ({ command: "COMMIT" }));',
    },
  ],
  /** Promise 17. The user behind a token is cached for 5 s, by time only. */
  authenticationPerRequest: [
    {
      marker: "look-up-per-request",
      instead: `
        const known = (globalThis.identities ??= new Map()).get(bearer);
        if (known !== undefined && performance.now() - known.at < 5_000) return known.state;
        const state = hasTokenForm(bearer) ? await lookUp(bearer) : "refused";
        globalThis.identities.set(bearer, { at: performance.now(), state });`,
    },
  ],

  // Protections of `npm start`, for its servers and its data.

  /** Promise 22. `npm start` does not watch its servers. */
  serversWatched: [{ marker: "servers-watched", instead: "const how = undefined;" }],
  /** Promise 22. A server that keeps ending is restarted indefinitely. */
  startsLimited: [{ marker: "starts-limited" }],
  /** Promise 23. `npm start` does not watch npm. */
  npmWatched: [{ marker: "npm-watched" }],
  /** Promise 28. No file marks an unfinished first start. */
  firstStartMarked: [{ marker: "first-start-marked", instead: "if (demo) {}" }],
  /** Promise 28. The mark alone counts, even if there is a demo.json. */
  finishedByDemo: [{ marker: "finished-by-demo", instead: "const isUnfinished = existsSync(paths.firstStart);" }],
  /** Promise 28. Data of earlier starts is marked like the data of a first start. */
  keptDataUnmarked: [{ marker: "kept-data" }],
  /** Promise 28. Servers of a killed start are not stopped. */
  leftoversStopped: [{ marker: "leftover-postgres" }, { marker: "leftover-nats" }],

  // Protections that bound the work on many rows.

  /** Promise 29. All old rows are deleted in one transaction. */
  purgeBatches: [{ marker: "purge-batches", instead: "const BATCH = 1_000_000_000;" }],
  /** Promise 30. All records of a kind are deleted in one transaction. */
  deletionBatches: [{ marker: "deletion-batches", instead: "const BATCH = 1_000_000;" }],
  /** Promise 30. Each statement of a transaction waits for the one before it. */
  roundTrips: [
    {
      marker: "round-trips",
      instead:
        "const results = []; for (const one of [begin, ...statements, { statement: commit, params: [] }]) results.push(...(await sendTogether(client, [one])));",
    },
  ],
  /** Promise 30. The event is acknowledged while its records are being deleted. */
  deletionBeforeAck: [
    {
      marker: "prepare-before-ack",
      instead: "void prepare?.(db, received.event).catch(() => undefined);",
    },
  ],
} satisfies Record<string, readonly RemovedProtection[]>;

export type Protection = keyof typeof controls;
