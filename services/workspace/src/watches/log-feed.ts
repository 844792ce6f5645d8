import { fail, type WorkspaceId } from "@cloud/contract";
import type { Database } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Logger } from "@cloud/telemetry";
import type { Position } from "./position.ts";
import { selectHasForeignPositions, selectLinesAfter, selectNewestPosition } from "./watch-sql.ts";
import type { Watcher } from "./watcher.ts";

/**
 * Milliseconds between two reads of what is new. NOTIFY would wake a replica sooner; but it lets only one transaction of
 * the server commit at a time, and every change of a workspace would wait for that.
 */
const EVERY_MS = 100;
const PAGE = 500;
/** Milliseconds of failing reads after which the watches end: their clients find another replica, or a 503. */
const LONGEST_FAILING_MS = 3_000;

export interface LogFeed {
  /** Passes lines to the watcher from now on. */
  join(watcher: Watcher): Promise<void>;
  leave(watcher: Watcher): void;
  /** Where the feed is: all lines up to it were passed on. */
  position(): Position;
  /** Ends all watches, and refuses new ones. */
  stop(error: unknown): void;
  readonly watchers: ReadonlySet<Watcher>;
}

/** Reads the new lines of all logs once for all watchers of the process, and only while there are any. */
export function createLogFeed(db: Database, log: Logger): LogFeed {
  const watchers = new Set<Watcher>();
  const byWorkspace = new Map<WorkspaceId, Set<Watcher>>();
  let position: Position | undefined;
  let starting: Promise<void> | undefined;
  let isScheduled = false;
  let failingSince: number | undefined;
  let stopped: { readonly error: unknown } | undefined;

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

  /** Reads a page and passes it on. Returns whether there may be another one. */
  const read = async (from: Position): Promise<boolean> => {
    const { isKnown, rows } = await selectLinesAfter(db, from, PAGE);
    failingSince = undefined;
    if (!isKnown) {
      // What follows the position is unknown, so each watch has to name its own.
      log.warn("the activity log no longer has the last line that was read; all watches begin again");
      position = undefined;
      endAll(fail(Reason.UNAVAILABLE));
      return false;
    }
    for (const row of rows) {
      for (const watcher of byWorkspace.get(row.workspace_id) ?? []) watcher.push(row);
    }
    position = rows.at(-1) ?? from;
    return rows.length === PAGE;
  };

  const readOn = async () => {
    try {
      while (position !== undefined && (await read(position))) if (watchers.size === 0) break;
    } catch (error) {
      if (failingSince === undefined) log.warn({ err: error }, "the activity log cannot be read");
      failingSince ??= performance.now();
      if (performance.now() - failingSince > LONGEST_FAILING_MS) endAll(fail(Reason.UNAVAILABLE, {}, error));
    }
    isScheduled = false;
    if (watchers.size > 0 && position !== undefined && stopped === undefined) schedule();
    else position = undefined;
  };
  const schedule = () => {
    if (!isScheduled) setTimeout(() => void readOn(), EVERY_MS);
    isScheduled = true;
  };

  return {
    watchers,
    join: async (watcher) => {
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
      schedule();
    },
    leave: (watcher) => {
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
      endAll(error);
    },
  };
}
