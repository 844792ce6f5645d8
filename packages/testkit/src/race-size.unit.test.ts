import { afterEach, expect, test } from "@jest/globals";
import { raceSize, raceUntil } from "./race-size.ts";

const given = process.env["RACE_SIZE"];
afterEach(() => {
  if (given === undefined) delete process.env["RACE_SIZE"];
  else process.env["RACE_SIZE"] = given;
});

test.each([
  ["chaos", 1000],
  ["long", 20_000],
  ["", 64],
  ["large", 64],
])("RACE_SIZE=%s plays %d races", (size, races) => {
  process.env["RACE_SIZE"] = size;
  expect(raceSize({ gate: 64, chaos: 1000, long: 20_000 })).toBe(races);
});

test("without it, a race has the size of the gate", () => {
  delete process.env["RACE_SIZE"];
  expect(raceSize({ gate: 64, chaos: 1000, long: 20_000 })).toBe(64);
});

test("a race is played until it is lost, at most as often as allowed", async () => {
  let played = 0;
  const race = async () => ++played;
  expect(await raceUntil((outcome) => outcome === 3, race)).toBe(3);
  expect(await raceUntil(() => false, race, 4)).toBe(7);
});
