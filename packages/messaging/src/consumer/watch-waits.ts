import type { Database, Tx } from "@cloud/postgres";

/** A statement usually takes milliseconds; only a crash within this time of its start counts as evidence. */
const NOTE_AFTER_MS = 100;

/**
 * Wraps a database: calls `note(true)` when a statement, BEGIN or COMMIT has been waiting for 100 ms, and `note(false)`
 * before it returns.
 */
export function watchWaits(db: Database, note: (waits: boolean) => Promise<void>): Database {
  const begin = () => {
    let noted: Promise<void> | undefined;
    const timer = setTimeout(() => {
      noted = note(true).catch(() => undefined); // the database itself may be unreachable
    }, NOTE_AFTER_MS);
    return async () => {
      clearTimeout(timer);
      const noting = noted;
      noted = undefined;
      if (noting !== undefined) await noting.then(() => note(false)).catch(() => undefined);
    };
  };
  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    const end = begin();
    try {
      return await work();
    } finally {
      await end();
    }
  };
  return {
    ...db,
    query: (text, params) => during(() => db.query(text, params)),
    withTransaction: async (work) => {
      let end = begin();
      try {
        return await db.withTransaction(async (tx) => {
          await end();
          const watched: Tx = { ...tx, query: (text, params) => during(() => tx.query(text, params)) };
          const result = await work(watched);
          end = begin();
          return result;
        });
      } finally {
        await end();
      }
    },
  };
}
