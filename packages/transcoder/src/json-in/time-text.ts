/** Seconds of 10,000 years, the longest of `google/protobuf/duration.proto`. */
const LONGEST = 315_576_000_000;

/** Returns whether a text is a duration of ProtoJSON: seconds, with at most nine digits after the point. */
export function isDuration(text: string): boolean {
  const [, seconds] = /^(-?\d{1,12})(?:\.\d{1,9})?s$/.exec(text) ?? [];
  return seconds !== undefined && Math.abs(Number(seconds)) <= LONGEST;
}

/**
 * Returns whether a text is a timestamp of ProtoJSON: RFC 3339 in upper case, of the years 1 to 9999 in UTC. `Date` takes
 * the 30th of February for the 2nd of March, and 24:00 for the next day.
 */
export function isTimestamp(text: string): boolean {
  const match = TIMESTAMP.exec(text);
  if (match === null) return false;
  const [, year, month, day, hour] = match;
  if (Number(hour) > 23 || Number(day) > daysOf(Number(year), Number(month))) return false;
  const at = Date.parse(text.replace(/\.\d+/, ""));
  return at >= FIRST && at <= LAST;
}

/** The 0th of the next month is the last of this one; years below 100 would be those of the 20th century. */
function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(2_000 + (year % 400), month, 0)).getUTCDate();
}

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59Z");
