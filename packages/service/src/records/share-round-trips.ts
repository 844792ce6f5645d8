import type { Database, QueryShared, ReadStatement, SqlText, StatementResult } from "@cloud/postgres";
import { coalesce } from "@cloud/rpc";

/**
 * Of one organization: 8 reads of 1 ms delay the last of them by less than a network does. A second round trip may begin
 * meanwhile, and after 20 ms a third: then it is a page of large records.
 */
const LIMITS = { mostKeys: 8, mostInFlight: 2, patienceMs: 20 };

interface Read extends ReadStatement {
  callers: number;
}

/** The reads of one organization. */
interface Lane {
  readonly query: (key: string) => Promise<StatementResult>;
  /** Those that are wanted, by key. */
  readonly reads: Map<string, Read>;
}

/**
 * Lets the short reads of an organization that arrive together share round trips to Postgres, and equal ones a
 * statement. A round trip begins after all reads that it serves, and no result is kept, so that none is older than its
 * call. Organizations share none: a page of large records delays only pages of its own.
 */
export function shareRoundTrips(db: Database): QueryShared {
  const lanes = new Map<string, Lane>();
  const open = (organization: string): Lane => {
    const reads = new Map<string, Read>();
    const lane = { query: coalesce((keys) => queryAll(db, keys, reads), LIMITS), reads };
    lanes.set(organization, lane);
    return lane;
  };
  return async (organization, text, params) => {
    const lane = lanes.get(organization) ?? open(organization);
    const key = keyOf(text, params);
    const read = lane.reads.get(key) ?? { text, params, callers: 0 };
    lane.reads.set(key, read);
    read.callers++;
    try {
      return await lane.query(key);
    } finally {
      if (--read.callers === 0) lane.reads.delete(key);
      if (lane.reads.size === 0) lanes.delete(organization);
    }
  };
}

async function queryAll(db: Database, keys: readonly string[], reads: ReadonlyMap<string, Read>) {
  const results = await db.queryAll(keys.map((key) => reads.get(key) as Read));
  return new Map(keys.map((key, index) => [key, results[index] as StatementResult | Error]));
}

const numbers = new Map<SqlText, number>();

/** Equal reads have equal keys. Of the text, which may have 2,000 characters, there is a number: the code has few texts. */
function keyOf(text: SqlText, params: readonly unknown[]): string {
  const number = numbers.get(text) ?? numbers.size;
  numbers.set(text, number);
  return `${number} ${JSON.stringify(params)}`;
}
