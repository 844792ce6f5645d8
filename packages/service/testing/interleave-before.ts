import { type Database, statement, type Tx } from "@cloud/postgres";
import { waitFor } from "@cloud/testkit";

type Transactions = Pick<Database, "transaction">;

/** Names a statement by its text. */
export type Place = (text: string) => boolean;

/**
 * Runs `first` on `db` until one of its transactions has come to a statement, or to COMMIT if `place` names none; then
 * `rival` until it ends or waits for a lock, and then both to their ends: the one interleaving that exposes a missing
 * lock every time. Returns what both return.
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
    transaction: (work) =>
      db.transaction(async (tx) => {
        await tx.query(statement`set local idle_in_transaction_session_timeout = 0`);
        const query: Tx["query"] = async (statement, params) => {
          if (place?.(statement.text) === true) await halt();
          return await tx.query(statement, params);
        };
        let isAtCommit = place === undefined;
        const atCommit: Tx["atCommit"] = (...last) => {
          isAtCommit ||= last.some(({ statement }) => place?.(statement.text) === true);
          tx.atCommit(...last);
        };
        const result = await work({ ...tx, query, read: query, atCommit });
        if (isAtCommit) await halt();
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
  const { rowCount } = await db.transaction((tx) =>
    tx.query(statement`
      select
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`),
  );
  return rowCount !== 0;
}
