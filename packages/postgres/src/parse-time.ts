import pg from "pg";

const { TIMESTAMPTZ } = pg.types.builtins;
const parseAny = pg.types.getTypeParser(TIMESTAMPTZ, "text") as (text: string) => Date;

/** The parsers of every connection: pg's own, and `parseTime`. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === TIMESTAMPTZ && format !== "binary"
      ? parseTime
      : pg.types.getTypeParser(oid, format as "text")) as pg.CustomTypesConfig["getTypeParser"],
};

/** `2026-11-22 18:12:06.123+00`, with up to six fractional digits or none. */
const LEAST_LENGTH = "2026-11-22 18:12:06+00".length;
const MOST_LENGTH = LEAST_LENGTH + ".123456".length;

/** The times of a page are often of the same day. */
let lastDay = "1970-01-01";
let lastMidnight = 0;

/**
 * Parses a `timestamptz` in UTC as Postgres prints it, and leaves every other to pg's parser. That one takes 1.3 µs, in a
 * list of 25 records 7 % of the service's time.
 */
export function parseTime(text: string): Date {
  const milliseconds = readUtc(text);
  return milliseconds === undefined ? parseAny(text) : new Date(milliseconds);
}

/** Returns the milliseconds since 1970 of a `timestamptz` as Postgres prints it. */
export function parseMilliseconds(text: string): number {
  return readUtc(text) ?? parseAny(text).getTime();
}

function readUtc(text: string): number | undefined {
  const { length } = text;
  if (length < LEAST_LENGTH || length > MOST_LENGTH || text[10] !== " " || !text.endsWith("+00")) return undefined;
  const day = text.slice(0, 10);
  if (day !== lastDay) {
    const midnight = Date.parse(`${day}T00:00:00Z`);
    if (Number.isNaN(midnight)) return undefined;
    lastDay = day;
    lastMidnight = midnight;
  }
  const seconds = (two(text, 11) * 60 + two(text, 14)) * 60 + two(text, 17);
  return lastMidnight + seconds * 1_000 + millisecondsOf(text, length);
}

const two = (text: string, at: number) => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 11 * ZERO;

/** Reads the digits between the point and the zone; those after the third are dropped. */
function millisecondsOf(text: string, length: number): number {
  const end = Math.min(length - 3, LEAST_LENGTH - 3 + 4);
  let milliseconds = 0;
  let unit = 100;
  for (let at = LEAST_LENGTH - 2; at < end; at++) {
    milliseconds += (text.charCodeAt(at) - ZERO) * unit;
    unit /= 10;
  }
  return milliseconds;
}

const ZERO = 0x30;
