import pg from "pg";

/** A statement that each connection prepares once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type Query = <Row extends pg.QueryResultRow>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

export interface Database {
  readonly query: Query;
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
}

/** Opens a pool of as many connections as each of our services has. */
export function openDatabase(connectionString: string): Database {
  const pool = new pg.Pool({ connectionString, max: 10, options: "-c search_path=monolith" });
  return {
    query: async (statement, values) => (await pool.query({ ...statement, values: [...values] })).rows,
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const result = await work(async (statement, values) => {
          return (await client.query({ ...statement, values: [...values] })).rows;
        });
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },
  };
}
