import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "../errors/fail.ts";
import { isId } from "../values.ts";

/** The last record of a page of a list that is ordered by time and id; the next page follows it. */
export interface Cursor {
  /** The time in whole milliseconds, as the columns keep it. */
  readonly createdAt: Date;
  readonly id: string;
}

/** Returns the cursor as clients receive it. They must not read it, so that its contents can change. */
export function formatCursor(cursor: Cursor): string {
  return formatLogCursor([{ ...cursor, upTo: NO_LATE_LINES, running: [] }]);
}

/** Parses a cursor; an empty one is the beginning. @throws INVALID_PARAMETER for a text that is not a cursor. */
export function parseCursor(text: string): Cursor | undefined {
  return parseLogCursor(text)[0];
}

/** The place before every record, in a list that is newest first. */
const BEGINNING = ["infinity", "ffffffff-ffff-ffff-ffff-ffffffffffff"] as const;

/** Returns the time and the id after which a list that is newest first continues, as parameters of its statement. */
export function afterCursor(cursor: Cursor | undefined): readonly [Date | "infinity", string] {
  return cursor === undefined ? BEGINNING : [cursor.createdAt, cursor.id];
}

/** A line up to which a log was read, oldest first, and which transactions had committed then. */
interface ReadUpTo extends Cursor {
  /** The transaction before which all others had ended, except the ones in `running`. */
  readonly upTo: string;
  readonly running: readonly string[];
}

/**
 * The lines that a reader of a log has read: up to each place, the ones whose transactions had committed by then. A
 * line has the time at which it was written, so a transaction that commits late adds unread lines before the place.
 * There are several places while such lines take more than a page; the first one is the newest read.
 */
export type LogCursor = readonly ReadUpTo[];

/** The last line of a page, with `pg_current_snapshot()` of its statement. */
export interface LastLine {
  readonly created_at: Date;
  readonly id: string;
  readonly snapshot: string;
}

/** The most places of a cursor. Beyond them the oldest is left out, and its lines may be read again. */
const MAX_PLACES = 4;

/** Returns the cursor after another page. */
export function advanceLogCursor(cursor: LogCursor, { created_at: createdAt, id, snapshot }: LastLine): LogCursor {
  const [, upTo = "", running = ""] = snapshot.split(":");
  const place = { createdAt, id, upTo, running: running === "" ? [] : running.split(",") };
  return [place, ...cursor.filter((other) => isAfter(other, place))].slice(0, MAX_PLACES);
}

const isAfter = (a: ReadUpTo, b: ReadUpTo) =>
  a.createdAt.getTime() === b.createdAt.getTime() ? a.id > b.id : a.createdAt > b.createdAt;

/** Returns the cursor as clients receive it. */
export function formatLogCursor(cursor: LogCursor): string {
  const places = cursor.map(({ createdAt, id, upTo, running }) => {
    const place = createdAt.getTime() + "." + id;
    return upTo === NO_LATE_LINES ? place : `${place}:${upTo}:${running.join(",")}`;
  });
  return Buffer.from(places.join("/")).toString("base64url");
}

/** The largest number of a transaction, for a place where all had ended. */
const NO_LATE_LINES = "18446744073709551615";
const PLACE = /^(\d{1,14})\.(.{36})(?::(\d{1,20}):([\d,]*))?$/;
/** The most characters of a cursor. The connections of a server, and so its running transactions, take fewer. */
const LONGEST = 64 * 1024;

/**
 * Parses a cursor; an empty one is the beginning. A cursor without transactions, of an earlier release or of a log that
 * is read newest first, is taken as if all had ended.
 *
 * @throws INVALID_PARAMETER for a text that is not a cursor.
 */
export function parseLogCursor(text: string): LogCursor {
  if (text === "") {
    return [];
  }
  const places = text.length > LONGEST ? [] : Buffer.from(text, "base64url").toString().split("/").map(parsePlace);
  const cursor = places.filter((place) => place !== undefined);
  if (cursor.length !== places.length || cursor.length > MAX_PLACES || formatLogCursor(cursor) !== text) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "cursor", accepts: "a cursor from an earlier reply" });
  }
  return cursor;
}

function parsePlace(text: string): ReadUpTo | undefined {
  const [, milliseconds, id = "", upTo = NO_LATE_LINES, list = ""] = PLACE.exec(text) ?? [];
  const running = list === "" ? [] : list.split(",");
  if (!isId(id) || ![upTo, ...running].every(isTransaction)) {
    return undefined;
  }
  return { createdAt: new Date(Number(milliseconds)), id, upTo, running };
}

const isTransaction = (text: string) => text !== "" && BigInt(text) <= BigInt(NO_LATE_LINES);
