import { setTimeout as delay } from "node:timers/promises";
import type { SqlText, Statement, Tx } from "@cloud/postgres";

export { RACE_DEADLINE_MS, raceSize, raceUntil, reportRace } from "./race-size.ts";

interface LinkRaces {
  readonly races: number;
  /** Number of concurrent races. */
  readonly width: number;
  /** Milliseconds between the starts of the first races; 0 if absent. */
  readonly rampMs?: number;
  /** Milliseconds by which the deletion is released after the assignment; negative means before it. */
  readonly lateBy: () => number;
  /**
   * Milliseconds by which the release of later deletions moves after each race, so that both orders occur however long
   * each takes on this machine: they settle where the two cancel out.
   */
  readonly shiftAfter: { readonly refused: number; readonly assigned: number };
  /** Creates a link. Returns `not refused`, or how it was refused. */
  readonly assign: (race: number) => Promise<string>;
  /** Deletes the linked record. */
  readonly remove: (race: number) => Promise<string>;
  /** The refusal of an assignment after the deletion. */
  readonly tooLate: string;
}

export interface LinkOutcomes {
  /** The assignment came first, so the deletion must delete its link. */
  readonly assigned: number;
  /** The deletion came first, and the assignment was refused accordingly. */
  readonly refused: number;
  /** Counts of all other outcomes. */
  readonly strange: Readonly<Record<string, number>>;
}

/**
 * Races assignments against deletions of the same record, each pair released together except for a few milliseconds.
 */
export async function raceLinks(options: LinkRaces): Promise<LinkOutcomes> {
  const { races, width, rampMs, lateBy, shiftAfter, assign, remove, tooLate } = options;
  let shift = 0;
  const assignAndShift = async (race: number) => {
    const outcome = await assign(race);
    shift += outcome === tooLate ? shiftAfter.refused : shiftAfter.assigned;
    return outcome;
  };
  const play = async (race: number) => {
    const late = shift + lateBy();
    const both = [startAfter(-late, () => assignAndShift(race)), startAfter(late, () => remove(race))];
    return (await Promise.all(both)).join(" / ");
  };
  const outcomes = await sideBySide(races, width, play, rampMs);
  const { [bothDone]: assigned = 0, [`${tooLate} / ${done}`]: refused = 0, ...strange } = countEach(outcomes);
  return { assigned, refused, strange };
}

const done = "not refused";
const bothDone = `${done} / ${done}`;

/**
 * Reads lists continuously, and records ids that they contain although they were known to be deleted before the
 * request.
 */
interface ListWatch {
  /** Reports a confirmed deletion. */
  reportDeleted(id: string): void;
  /** Stops reading. */
  stop(): Promise<Watched>;
}

export interface Watched {
  /** Number of lists read. */
  readonly lists: number;
  /** Number of records in them. */
  readonly listed: number;
  /** Ids that they must not have contained. */
  readonly shownDeleted: readonly string[];
}

/**
 * Starts reading lists. `readList` returns the ids of one list, in any order; each of the readers calls it again as
 * soon as it resolves.
 */
export function watchLists(readList: () => Promise<readonly string[]>, readers = 1): ListWatch {
  const places = new Map<string, number>();
  const shownDeleted: string[] = [];
  let [lists, listed, isOver] = [0, 0, false];
  const watch = async () => {
    while (!isOver) {
      const deletedBefore = places.size;
      const ids = await readList();
      lists++;
      listed += ids.length;
      shownDeleted.push(...ids.filter((id) => (places.get(id) ?? deletedBefore) < deletedBefore));
    }
  };
  const watching = Promise.all(Array.from({ length: readers }, watch));
  // The failure is reported by `stop`.
  watching.catch(() => undefined);
  return {
    reportDeleted: (id) => {
      if (!places.has(id)) places.set(id, places.size);
    },
    stop: async () => {
      isOver = true;
      await watching;
      return { lists, listed, shownDeleted };
    },
  };
}

/**
 * Runs `count` pieces of work, at most `width` concurrently, and returns their results in order. The first ones start
 * `rampMs` milliseconds apart, so that they do not overload a cold system all at once.
 */
export async function sideBySide<T>(
  count: number,
  width: number,
  work: (index: number) => Promise<T>,
  rampMs = 0,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: width }, (_, index) => startAfter(index * rampMs, lane)));
  return results;
}

/** Releases a racer `ms` milliseconds later than the others; 0 is together with them. */
export async function startAfter<T>(ms: number, racer: () => Promise<T>): Promise<T> {
  if (ms > 0) await delay(ms);
  return racer();
}

/** Counts how often each text occurs. */
export function countEach(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

/**
 * Changes a statement before it is sent: how a control inside a test's process removes a protection. It sees the text
 * on one line, its white space as single blanks, without comments.
 */
export type Rewrite = (text: string) => string;

/** Returns the transaction with its statements changed. */
export function rewriting(tx: Tx, rewrite: Rewrite): Tx {
  const change = <Row>(statement: Statement<Row>): Statement<Row> => {
    const line = statement.text.replaceAll(/(?:\s|--.*)+/g, " ").trim();
    const text = rewrite(line);
    // biome-ignore lint/plugin: a statement of the source, changed by a test.
    return text === line ? statement : { ...statement, text: text as SqlText, name: "" };
  };
  const query: Tx["query"] = (statement, params) => tx.query(change(statement), params);
  const atCommit: Tx["atCommit"] = (...last) =>
    tx.atCommit(...last.map(({ statement, params }) => ({ statement: change(statement), params })));
  return { ...tx, query, read: query, atCommit };
}
