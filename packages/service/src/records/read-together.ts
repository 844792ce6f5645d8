import { isId } from "@cloud/contract";
import type { Sql, SqlText } from "@cloud/postgres";
import { coalesce } from "@cloud/rpc";

/** Reads of different calls that may share a statement. */
interface SharedReads {
  readonly db: Sql;
  /** Throws when the call that reads has ended. */
  readonly assertOpen: () => void;
}

interface Read {
  /** Undefined if there is none with the id. */
  readonly row: unknown;
}

/** As for tokens (packages/rpc/src/authenticator.ts). */
const LIMITS = { mostKeys: 256, mostInFlight: 1, patienceMs: 100 };

const shared = new WeakMap<Sql, SharedReads>();
const readers = new WeakMap<Sql, Map<SqlText, (id: string) => Promise<Read>>>();

/** Lets reads by id through `db`, the database of one call, share the statements of `reads.db` with those of other calls. */
export function shareReads(db: Sql, reads: SharedReads): void {
  shared.set(db, reads);
}

/**
 * Returns the row with an id, by a statement whose parameter is an array of ids. Calls that read concurrently share one
 * statement, which begins after all of them: what it reads is never older than the call. Of 16 clients that read a
 * workspace, each statement serves several. A transaction reads for itself, in its own snapshot.
 */
export async function readById(db: Sql, text: SqlText, id: string): Promise<unknown> {
  const reads = shared.get(db);
  // Postgres refuses a malformed id, which must fail no other call.
  if (reads === undefined || !isId(id)) return (await db.query(text, [[id]])).rows[0];
  reads.assertOpen();
  return (await readerOf(reads.db, text)(id)).row;
}

function readerOf(db: Sql, text: SqlText): (id: string) => Promise<Read> {
  const known = readers.get(db) ?? new Map<SqlText, (id: string) => Promise<Read>>();
  readers.set(db, known);
  const reader = known.get(text) ?? coalesce<Read>((ids) => readMany(db, text, ids), LIMITS);
  known.set(text, reader);
  return reader;
}

async function readMany(db: Sql, text: SqlText, ids: readonly string[]): Promise<ReadonlyMap<string, Read>> {
  const { rows } = await db.query<{ id: string }>(text, [ids]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  // Postgres prints ids in lower case.
  return new Map(ids.map((id) => [id, { row: byId.get(id.toLowerCase()) }]));
}
