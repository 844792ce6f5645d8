import { expect, test } from "@jest/globals";
import fc from "fast-check";
import pg from "pg";
import { parseMilliseconds } from "./rows.ts";

const parseByPg = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, "text") as (text: string) => Date;

const digits = (count: number) => (n: number) => String(n).padStart(count, "0");
const upTo = (max: number, count = 2) => fc.integer({ min: 0, max }).map(digits(count));
const fraction = fc.constantFrom(1, 2, 3, 4, 5, 6).chain((count) => upTo(10 ** count - 1, count));

/** Times as Postgres prints them, in UTC and elsewhere. */
const times = fc
  .record({
    date: fc.date({ min: new Date("0100-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
    hours: upTo(23),
    minutes: upTo(59),
    seconds: upTo(59),
    fraction: fc.option(fraction),
    zone: fc.constantFrom("+00", "+00", "+00", "+02", "-03:30"),
  })
  .map(({ date, hours, minutes, seconds, fraction, zone }) => {
    const clock = `${hours}:${minutes}:${seconds}${fraction === null ? "" : `.${fraction}`}`;
    return `${date.toISOString().slice(0, 10)} ${clock}${zone}`;
  });

test("parses every time as pg does", () => {
  fc.assert(fc.property(times, (text) => expect(parseMilliseconds(text)).toBe(Number(parseByPg(text)))));
});

test.each(["infinity", "-infinity", "0044-03-15 12:00:00+00 BC", "0099-03-15 12:00:00+00", "12026-11-22 18:12:06+00"])(
  "leaves %s to pg",
  (text) => {
    expect(parseMilliseconds(text)).toBe(Number(parseByPg(text)));
  },
);
