import { type Database, sql } from "@cloud/postgres";
import { waitFor } from "@cloud/testkit";

type Transactions = Pick<Database, "withTransaction">;

/** Names a statement by its text. */
export type Place = (text: string) => boolean;

/**
 * Runs `first` on `db` until one of its transactions has come to a statement, or to COMMIT if `place` names none; then
 * `rival` until it ends or waits for a lock, and then both to their ends: the one interleaving that exposes a missing lock
 * every time. Returns what both return.
 */
export async function interleaveBefore<Db extends Transactions, First, Second>(
  db: Db,
  place: Place | undefined,
  first: (db: Db) => Promise<First>,
  rival: () => Promise<Second>,
): Promise<[First, Second]> {
  const [reached, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const halt = () => {
    reached.resolve();
    return proceed.promise;
  };
  const held: Transactions = {
    withTransaction: (work) =>
      db.withTransaction(async (tx) => {
        await tx.query(sql`set local idle_in_transaction_session_timeout = 0`);
        const query = async (text: string, params?: readonly unknown[]) => {
          if (place?.(text) === true) await halt();
          return await tx.query(text as never, params);
        };
        const result = await work({ ...tx, query: query as typeof tx.query });
        if (place === undefined) await halt();
        return result;
      }),
  };
  const running = first({ ...db, ...held });
  await Promise.race([reached.promise, running]);
  let hasEnded = false;
  const rivalling = rival().finally(() => {
    hasEnded = true;
  });
  await waitFor(async () => hasEnded || (await isLockAwaited(db)) || undefined, { deadlineMs: 30_000 });
  proceed.resolve();
  return await Promise.all([running, rivalling]);
}

async function isLockAwaited(db: Transactions): Promise<boolean> {
  const { rowCount } = await db.withTransaction((tx) =>
    tx.query(sql`
      select
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`),
  );
  return rowCount !== 0;
}
