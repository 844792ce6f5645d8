import { type Database, statement, type Tx } from "@cloud/postgres";
import { execute, waitFor } from "@cloud/testkit";

/**
 * Runs `first` up to its middle in a transaction, then `rival` until it ends or waits for a lock, then the rest of
 * `first`: the one interleaving that exposes a missing lock every time.
 */
export async function interleave(
  db: Database,
  first: (tx: Tx, middle: () => Promise<void>) => Promise<unknown>,
  rival: () => Promise<unknown>,
) {
  const [reached, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const finishing = db.transaction(async (tx) => {
    await tx.query(statement`set local idle_in_transaction_session_timeout = 0`);
    return await first(tx, () => {
      reached.resolve();
      return proceed.promise;
    });
  });
  await reached.promise;
  let ended = false;
  const rivalling = rival().finally(() => {
    ended = true;
  });
  await waitFor(async () => (ended || (await countWaiting(db)) > 0 ? true : undefined), { deadlineMs: 30_000 });
  proceed.resolve();
  await Promise.all([finishing, rivalling]);
}

/** Counts the sessions of the database that wait for a lock. */
export async function countWaiting(db: Database): Promise<number> {
  const { rows } = await execute(
    db,
    statement`
      select
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
}
