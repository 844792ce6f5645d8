import { setTimeout as delay } from "node:timers/promises";
import { fail } from "@cloud/access/errors";
import type { WorkspaceId } from "@cloud/access/values";
import type { Database } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Logger } from "@cloud/runtime/telemetry";
import type { CommitSignals } from "@cloud/service";
import type { Position } from "./position.ts";
import { selectHasForeignPositions, selectLinesAfter, selectNewestPosition } from "./sql.ts";
import type { Watcher } from "./watcher.ts";

export interface LogFeed {
  /** Returns whether commits wake the feed. Otherwise it finds new lines up to a second later. */
  isWoken(): boolean;
  /** Passes new lines to the watcher until `remove`. */
  add(watcher: Watcher): Promise<void>;
  remove(watcher: Watcher): void;
  /** Returns the position of the feed: all lines up to it were passed on. */
  position(): Position;
  /** Ends all watches, and refuses new ones. */
  stop(error: unknown): void;
  readonly watchers: ReadonlySet<Watcher>;
}

interface LogFeedOptions {
  readonly db: Database;
  readonly commits: CommitSignals;
  readonly log: Logger;
  /** Milliseconds after which the log is read without a signal; 1,000 if absent. */
  readonly unsignalledMs?: number;
}

/**
 * Reads the new lines of all logs once for all watchers of the process, and only while there are any: when a replica of
 * the service has committed, and otherwise once a second.
 */
export function createLogFeed({ db, commits, log, unsignalledMs = UNSIGNALLED_MS }: LogFeedOptions): LogFeed {
  const watchers = new Set<Watcher>();
  const byWorkspace = new Map<WorkspaceId, Set<Watcher>>();
  let position: Position | undefined;
  let starting: Promise<void> | undefined;
  let isReading = false;
  let woken = new AbortController();
  let failingSince: number | undefined;
  let stopped: { readonly error: unknown } | undefined;

  const wake = () => woken.abort();
  const signals = commits.onCommit(wake);

  const endAll = (error: unknown) => {
    for (const watcher of watchers) watcher.end(error);
  };

  const assertOpen = () => {
    if (stopped !== undefined) throw stopped.error;
  };

  const start = async () => {
    if (await selectHasForeignPositions(db)) {
      log.error("the activity log was loaded from a dump: set xact of its lines to 0");
      throw fail(Reason.UNAVAILABLE);
    }
    position = await selectNewestPosition(db);
    failingSince = undefined;
  };

  /**
   * Reads a page and passes it on. Returns the milliseconds until the next one is due, unless a signal comes before.
   */
  const read = async (from: Position): Promise<number> => {
    const { isKnown, isWaiting, rows } = await selectLinesAfter(db, from, PAGE);
    failingSince = undefined;
    if (!isKnown) {
      // The lines after the position are unknown, so each watch has to name its own position.
      log.warn("the activity log no longer has the last line that was read; all watches begin again");
      position = undefined;
      endAll(fail(Reason.UNAVAILABLE));
      return 0;
    }
    for (const row of rows) {
      for (const watcher of byWorkspace.get(row.workspace_id) ?? []) watcher.push(row);
    }
    position = rows.at(-1) ?? from;
    if (rows.length === PAGE) return 0;
    return isWaiting ? AGAIN_MS : unsignalledMs;
  };

  const onFailure = (error: unknown): number => {
    if (failingSince === undefined) log.warn({ err: error }, "the activity log cannot be read");
    failingSince ??= performance.now();
    if (performance.now() - failingSince > LONGEST_FAILING_MS) endAll(fail(Reason.UNAVAILABLE, {}, error));
    return AGAIN_MS;
  };

  const readOn = async () => {
    if (isReading) return;
    isReading = true;
    while (watchers.size > 0 && position !== undefined && stopped === undefined) {
      woken = new AbortController();
      const pauseMs = await read(position).catch(onFailure);
      if (pauseMs === 0) continue;
      await delay(REST_MS);
      await delay(pauseMs - REST_MS, undefined, { signal: woken.signal }).catch(() => undefined);
    }
    isReading = false;
    position = undefined;
  };

  return {
    watchers,
    add: async (watcher) => {
      assertOpen();
      if (position === undefined) {
        starting ??= start().finally(() => {
          starting = undefined;
        });
        await starting;
      }
      assertOpen();
      if (position === undefined) throw fail(Reason.UNAVAILABLE);
      watchers.add(watcher);
      const same = byWorkspace.get(watcher.workspaceId) ?? new Set();
      byWorkspace.set(watcher.workspaceId, same.add(watcher));
      void readOn();
    },
    isWoken: signals.isHeard,
    remove: (watcher) => {
      watchers.delete(watcher);
      const same = byWorkspace.get(watcher.workspaceId);
      same?.delete(watcher);
      if (same?.size === 0) byWorkspace.delete(watcher.workspaceId);
    },
    position: () => {
      if (position === undefined) throw fail(Reason.UNAVAILABLE);
      return position;
    },
    stop: (error) => {
      stopped ??= { error };
      signals.stop();
      wake();
      endAll(error);
    },
  };
}

/** Milliseconds after a read within which commits are gathered into one next read. */
const REST_MS = 50;
/** Milliseconds after which lines are read again that wait for an older transaction, or that could not be read. */
const AGAIN_MS = 100;
/** Milliseconds after which the log is read without a signal: one can be lost, and none comes while NATS is away. */
const UNSIGNALLED_MS = 1_000;
const PAGE = 500;
/** Milliseconds of failing reads after which the watches end: their clients find another replica, or a 503. */
const LONGEST_FAILING_MS = 3_000;
