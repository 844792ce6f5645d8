import { refusal } from "@cloud/access/testing";
import { type Database, statement } from "@cloud/postgres";
import { countWaiting } from "@cloud/service/testing/races";
import { waitFor } from "@cloud/testkit";

/**
 * Blocks all writes to the links, starts the calls one after another, each once the one before it waits, and releases
 * them together: the locks that they took before that write decide the winner. Returns their outcomes.
 */
export async function queueAtLinks(db: Database, ...calls: (() => Promise<unknown>)[]) {
  const started: Promise<string>[] = [];
  await db.transaction(async (tx) => {
    await tx.query(statement`set local idle_in_transaction_session_timeout = 0`);
    await tx.query(statement`lock table environment_connections in share mode`);
    for (const call of calls) {
      started.push(refusal(call()));
      const allWait = async () => ((await countWaiting(db)) === started.length ? true : undefined);
      await waitFor(allWait, { deadlineMs: 30_000 });
    }
  });
  return Promise.all(started);
}
