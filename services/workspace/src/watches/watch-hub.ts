import { fail } from "@cloud/access/errors";
import type { Id } from "@cloud/access/values";
import type { Database } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { createSemaphore, createSemaphoreMetrics } from "@cloud/runtime/limits";
import { Gauge, type Telemetry } from "@cloud/runtime/telemetry";
import type { CommitSignals } from "@cloud/service";
import { startAccessChecks } from "./access-checks.ts";
import { createLogFeed, type LogFeed } from "./log-feed.ts";
import { BEGINNING, isAfter, type Position } from "./position.ts";
import { selectLastPosition, selectLinesBetween, selectPosition, type WatchedRow } from "./sql.ts";
import { type Watched, Watcher } from "./watcher.ts";

export interface WatchHub {
  /** Yields the lines of the workspace. @throws TOO_MANY_WATCHES, OVERLOADED, and the error that ends the watch */
  watch(request: WatchRequest): AsyncGenerator<Delivery>;
  /** Ends all watches, so that their clients reconnect to another replica. */
  stop(): void;
}

interface WatchRequest extends Watched {
  /** The id of the line, or of the beginning, after which the watch starts; from now on if absent. */
  readonly after: Id | undefined;
  readonly signal: AbortSignal;
}

/** A line, or the position of the watch; neither in a sign of life. */
export interface Delivery {
  readonly row?: WatchedRow;
  /** The id after which the watch continues when it is opened again. */
  readonly position?: string;
  /** Whether the log does not have the line that the watch was to continue after: it begins with the oldest one. */
  readonly gone?: true;
}

/** The limits of open watches. */
export interface WatchLimits {
  /** The most watches of the process. */
  readonly max: number;
  /** The most watches of one user, in the process. */
  readonly maxPerUser: number;
}

export const DEFAULT_WATCH_LIMITS: WatchLimits = { max: 5_000, maxPerUser: 100 };

/** Creates the hub that the watches of the process share. It does nothing while there are none. */
export function createWatchHub(
  db: Database,
  commits: CommitSignals,
  { log, metrics }: Pick<Telemetry, "log" | "metrics">,
  limits: WatchLimits = DEFAULT_WATCH_LIMITS,
): WatchHub {
  const feed = createLogFeed({ db, commits, log });
  const checks = startAccessChecks(db, feed.watchers);
  const reads = createSemaphore({ max: READ_CONCURRENCY }, createSemaphoreMetrics({ metrics }, "watch-reads"));
  const all = createSemaphore(
    { max: limits.max, maxQueue: 0, refusal: fail(Reason.OVERLOADED) },
    createSemaphoreMetrics({ metrics }, "watches"),
  );
  const ofUser = createSemaphore(
    {
      max: Number.POSITIVE_INFINITY,
      maxPerKey: limits.maxPerUser,
      maxQueue: 0,
      refusal: fail(Reason.TOO_MANY_WATCHES, { limit: String(limits.maxPerUser) }),
    },
    createSemaphoreMetrics({ metrics }, "watches-of-a-user"),
  );
  new Gauge({ name: "watches_limit", help: "How many watches may be open.", registers: [metrics] }).set(limits.max);
  new Gauge({
    name: "watches_unsignalled",
    help: "1 while no commit wakes watches: events come up to 1 s late.",
    registers: [metrics],
    collect() {
      this.set(feed.isWoken() ? 0 : 1);
    },
  });

  return {
    watch: async function* (request) {
      using permits = new DisposableStack();
      // Services have no limit of their own.
      if (request.userId !== "") permits.defer(await ofUser.acquire({ key: request.userId }));
      permits.defer(await all.acquire());
      const watcher = new Watcher(request);
      const onAbort = () => watcher.end(request.signal.reason);
      request.signal.addEventListener("abort", onAbort);
      try {
        if (request.signal.aborted) onAbort();
        await feed.add(watcher);
        const runRead: RunRead = (read) => reads.run(read, { signal: request.signal });
        const start = await runRead(() => startOf(db, request));
        yield { position: start.at.id, ...(start.gone && { gone: true }) };
        yield* follow(db, feed, watcher, start.at, runRead);
      } finally {
        request.signal.removeEventListener("abort", onAbort);
        feed.remove(watcher);
      }
    },
    stop: () => {
      checks.stop();
      feed.stop(fail(Reason.UNAVAILABLE));
    },
  };
}

/** The most watches that read missed lines at a time: after a restart all do, and requests need connections, too. */
const READ_CONCURRENCY = 3;

interface Start {
  readonly at: Position;
  readonly gone: boolean;
}

/** Returns the position after which to begin: the line `after`, or the beginning if the log does not have the line. */
async function startOf(db: Database, { after, workspaceId }: WatchRequest): Promise<Start> {
  if (after === undefined) return { at: (await selectLastPosition(db, workspaceId)) ?? BEGINNING, gone: false };
  if (after === BEGINNING.id) return { at: BEGINNING, gone: false };
  const at = await selectPosition(db, workspaceId, after);
  return { at: at ?? BEGINNING, gone: at === undefined };
}

/** Runs a read when it is the watch's turn, and not after its client has left. */
type RunRead = <T>(read: () => Promise<T>) => Promise<T>;

/**
 * Yields the lines after `start`: from the database while the watcher is behind, then the lines that the feed passes
 * on.
 */
async function* follow(
  db: Database,
  feed: LogFeed,
  watcher: Watcher,
  start: Position,
  runRead: RunRead,
): AsyncGenerator<Delivery> {
  const endsAt = performance.now() + LONGEST_MS * (0.9 + Math.random() * 0.2);
  let at = start;
  for (;;) {
    watcher.assertOpen();
    if (performance.now() > endsAt) return;
    if (watcher.isBehind) {
      // The feed passes on the later lines from now on; all lines up to here are final.
      const upTo = feed.position();
      watcher.isBehind = false;
      for (let isWhole = false; !isWhole; ) {
        const rows = await runRead(() => selectLinesBetween(db, watcher.workspaceId, at, upTo, PAGE));
        for (const row of rows) {
          watcher.assertOpen();
          yield { row, position: row.id };
          at = row;
        }
        isWhole = rows.length < PAGE;
      }
      continue;
    }
    const row = watcher.shift();
    if (row === undefined) {
      if (!(await watcher.wait(HEARTBEAT_MS * (0.5 + Math.random() * 0.5)))) yield {};
    } else if (isAfter(row, at)) {
      yield { row, position: row.id };
      at = row;
    }
  }
}

/**
 * Milliseconds after which a watch without events sends a sign of life, less up to a half. If 5,000 watches with the
 * same last event sent theirs at once, that would take 1.5 s, in which the process does nothing else.
 */
const HEARTBEAT_MS = 10_000;
/** Milliseconds after which a watch ends, varied by 10 %, so that watches spread over the replicas again. */
const LONGEST_MS = 900_000;
const PAGE = 500;
