import { fail, reasonOf } from "@cloud/access/errors";
import { MAX_TOKENS } from "@cloud/access/principal";
import type { Database } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { selectLiveWorkspaces } from "./sql.ts";
import type { Watcher } from "./watcher.ts";

/** Ends the watches whose caller may no longer see the log. One pass serves all watches of the process. */
export function startAccessChecks(db: Database, watchers: ReadonlySet<Watcher>): { stop(): void } {
  let isBusy = false;
  let isDue = false;
  const pass = async () => {
    if (isBusy) return;
    isBusy = true;
    // A pass that takes longer than its interval is followed by the next one at once.
    while (isDue) {
      isDue = false;
      const all = [...watchers];
      await Promise.all([endWithoutAccess(all), endDeleted(db, all)]);
    }
    isBusy = false;
  };
  const timer = setInterval(() => {
    endUnconfirmed(watchers);
    isDue = watchers.size > 0;
    void pass();
  }, EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}

/**
 * Milliseconds from the beginning of one pass to the next. A watch ends within 1 s after its token or right is gone;
 * identity takes 0.15 to 0.3 s for 5,000 different tokens.
 */
const EVERY_MS = 500;

/**
 * Checks each pair of credentials and organization once, in batches that share a call of identity, one after the other,
 * because requests have to ask identity meanwhile. Behind the checks of 5,000 watches at once, each waited for 0.3 s.
 */
async function endWithoutAccess(watchers: readonly Watcher[]): Promise<void> {
  const groups = new Map<string, [Watcher, ...Watcher[]]>();
  for (const watcher of watchers) {
    const key = watcher.organizationId + " " + watcher.access.key;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [watcher]);
    else group.push(watcher);
  }
  const all = [...groups.values()];
  for (let checked = 0; checked < all.length; checked += MAX_TOKENS) {
    await Promise.all(all.slice(checked, checked + MAX_TOKENS).map(checkGroup));
  }
}

async function checkGroup(group: readonly [Watcher, ...Watcher[]]): Promise<void> {
  const { access, organizationId } = group[0];
  try {
    const caller = await access.again();
    await caller.requireAccess(organizationId, Reason.WORKSPACE_NOT_FOUND);
    for (const watcher of group) watcher.unconfirmed = 0;
  } catch (error) {
    if (UNDECIDED.has(reasonOf(error))) return;
    for (const watcher of group) watcher.end(error);
  }
}

/** The errors without a decision: identity could not be asked. `endUnconfirmed` bounds for how long. */
const UNDECIDED: ReadonlySet<Reason> = new Set([Reason.UNAVAILABLE, Reason.OVERLOADED, Reason.DEADLINE_EXCEEDED]);

function endUnconfirmed(watchers: ReadonlySet<Watcher>): void {
  for (const watcher of watchers) {
    watcher.unconfirmed++;
    if (watcher.unconfirmed > MAX_UNCONFIRMED) watcher.end(fail(Reason.UNAVAILABLE));
  }
}

/**
 * Checks in a row without a confirmation after which a watch ends, 5 s: identity is silent, or away. They are counted
 * in ticks, so that a delay of this process adds nothing.
 */
const MAX_UNCONFIRMED = 10;

/** Ends the watches of deleted workspaces. The line of the deletion has usually been sent by then. */
async function endDeleted(db: Database, watchers: readonly Watcher[]): Promise<void> {
  const ids = [...new Set(watchers.map(({ workspaceId }) => workspaceId))];
  // A database that cannot be read ends the watches elsewhere, after a while.
  const live = await selectLiveWorkspaces(db, ids).catch(() => undefined);
  if (live === undefined) return;
  for (const watcher of watchers) {
    if (!live.has(watcher.workspaceId)) watcher.end(fail(Reason.WORKSPACE_NOT_FOUND));
  }
}
