import { classifyFault } from "../database-unavailable.ts";
import { type SessionOptions, withSession } from "../in-one-session.ts";
import { sendTogether } from "../round-trip.ts";
import type { Tx } from "../sql.ts";
import { sql } from "../sql-text.ts";
import type { Statement, StatementResult } from "../statement.ts";

/**
 * Runs `work` in a session of its own, in which each statement is a transaction, and whose lock only one process holds for the schema. Returns undefined without
 * running it while another one does. The lock ends with the session, so also with a process that is killed.
 *
 * @throws DatabaseUnavailable
 */
export async function inPurgingSession<T>(
  options: SessionOptions,
  work: (session: Pick<Tx, "query">) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await withSession(options, async (client) => {
      const { rows } = await client.query<{ held: boolean }>(tryLock);
      if (rows[0]?.held !== true) return undefined;
      await client.query(keepOrder);
      const query = async <Row>(statement: Statement<Row>, params: readonly unknown[] = []) => {
        const [result] = await sendTogether(client, [{ statement, params }]);
        return result as StatementResult<Row>;
      };
      return await work({ query });
    });
  } catch (error) {
    throw classifyFault(error);
  }
}

const tryLock = sql`
  select pg_try_advisory_lock(hashtextextended('purge of ' || current_schema(), 0)) as held`;

/**
 * Batches are read in the order of an index. While the planner's statistics do not know of the old rows, it takes them for
 * few, and would read and sort all of them for each batch: of 1,000,000, 22 a second were deleted.
 */
const keepOrder = sql`set enable_sort = off`;
