import type { Database, ReadStatement, RunHeavy, SqlText, StatementResult } from "@cloud/postgres";
import { coalesce } from "@cloud/rpc";
import { isLarge, largePages } from "./large-pages.ts";

/** A page that a call reads. */
interface PageRead extends ReadStatement {
  /** Of a short list of one organization, which may share a round trip with others of it. */
  readonly organization: string | undefined;
  readonly turns: Turns | undefined;
}

/** How the reads of a call that take long get their turn. */
export interface Turns {
  /** Whose turn it is; empty for what concerns all organizations. */
  readonly organization: () => string;
  readonly run: RunHeavy;
}

/**
 * Of one organization: 4 reads of 1 ms delay the last of them by less than a network does, and 8 pages of 6 MB at once
 * take 200 MB of a service. A second round trip may begin meanwhile, and another one 20 ms after each.
 */
const LIMITS = { mostKeys: 4, mostInFlight: 2, patienceMs: 20 };

/** The reads of one organization. */
interface Lane {
  readonly query: (key: string) => Promise<StatementResult>;
  /** Those that are wanted, by key. */
  readonly reads: Map<string, Wanted>;
}

interface Wanted {
  readonly read: PageRead;
  callers: number;
  /** Of a large page that several want, one gets what was read. */
  isTaken: boolean;
}

/**
 * Lets the short lists of an organization that arrive together share round trips to Postgres, and equal ones a
 * statement. A round trip begins after all reads that it serves, and no result is kept, so that none is older than its
 * call. Organizations share none, and the lists of one whose pages are large take turns instead.
 */
export function createPageReads(db: Database): (read: PageRead) => Promise<StatementResult> {
  const lanes = new Map<string, Lane>();
  const large = largePages();
  const largeResults = new WeakSet<StatementResult | Error>();

  const isOfLarge = ({ turns }: PageRead) => turns !== undefined && large.has(turns.organization());
  const note = ({ turns }: PageRead, result: StatementResult | Error) => {
    if (turns === undefined || !isLarge(result)) return;
    large.add(turns.organization());
    largeResults.add(result);
  };
  const queryAlone = async (read: PageRead) => {
    const { text, params, turns } = read;
    const send = () => db.query(text, params);
    const result = turns !== undefined && isOfLarge(read) ? await turns.run(send) : await send();
    note(read, result);
    return result;
  };
  const queryAll = async (reads: readonly PageRead[]) => {
    // Those that came before the first large page was read.
    if (reads.some(isOfLarge)) return await Promise.all(reads.map((read) => queryAlone(read).catch(asError)));
    const results = await db.queryAll(reads);
    for (const [index, read] of reads.entries()) note(read, results[index] as StatementResult | Error);
    return results;
  };
  const open = (organization: string): Lane => {
    const reads: Lane["reads"] = new Map();
    const lookUp = async (keys: readonly string[]) => {
      const results = await queryAll(keys.flatMap((key) => reads.get(key)?.read ?? []));
      return new Map(keys.map((key, index) => [key, results[index] as StatementResult | Error]));
    };
    const lane = { query: coalesce(lookUp, LIMITS), reads };
    lanes.set(organization, lane);
    return lane;
  };
  return async (read) => {
    const { organization, text, params } = read;
    if (organization === undefined || isOfLarge(read)) return await queryAlone(read);
    const lane = lanes.get(organization) ?? open(organization);
    const key = keyOf(text, params);
    const wanted: Wanted = lane.reads.get(key) ?? { read, callers: 0, isTaken: false };
    lane.reads.set(key, wanted);
    wanted.callers++;
    try {
      const result = await lane.query(key);
      // 100 replies of 6 MB at once would be more than the memory of the gateway.
      if (wanted.isTaken && largeResults.has(result)) return await queryAlone(read);
      wanted.isTaken = true;
      return result;
    } finally {
      if (--wanted.callers === 0) lane.reads.delete(key);
      if (lane.reads.size === 0) lanes.delete(organization);
    }
  };
}

const asError = (error: unknown) => error as Error;

const numbers = new Map<SqlText, number>();

/** Equal reads have equal keys. Of the text, which may have 2,000 characters, there is a number: the code has few texts. */
function keyOf(text: SqlText, params: readonly unknown[]): string {
  const number = numbers.get(text) ?? numbers.size;
  numbers.set(text, number);
  return `${number} ${JSON.stringify(params)}`;
}
