import { expect, test } from "@jest/globals";
import { createUsage, type Usage } from "./usage.ts";

const MINUTE = 60_000;

function add(usage: Usage, key: string, times: number, window = 0): void {
  for (let index = 0; index < times; index++) usage.add(key, window);
}

test("counts each key by itself, and a new window from 0", () => {
  const usage = createUsage(10);
  add(usage, "a", 3);
  add(usage, "b", 1);
  expect([usage.of("a", 0), usage.of("b", 0), usage.of("c", 0)]).toEqual([3, 1, 0]);
  expect([usage.of("a", MINUTE), usage.take(10)]).toEqual([0, undefined]);
});

test("what is on its way counts; the confirmed sum includes the other replicas", () => {
  const usage = createUsage(10);
  add(usage, "a", 3);
  const taken = usage.take(10);
  expect([taken?.window, taken?.added, usage.of("a", 0)]).toEqual([0, new Map([["a", 3]]), 3]);
  add(usage, "a", 1);
  expect(usage.of("a", 0)).toBe(4);
  taken?.confirm(new Map([["a", 10]]));
  expect(usage.of("a", 0)).toBe(11);
  expect(usage.take(10)?.added).toEqual(new Map([["a", 1]]));
});

test("what could not be sent counts, and is taken again", () => {
  const usage = createUsage(10);
  add(usage, "a", 3);
  const taken = usage.take(10);
  add(usage, "a", 1);
  taken?.giveBack();
  expect(usage.of("a", 0)).toBe(4);
  expect(usage.take(10)?.added).toEqual(new Map([["a", 4]]));
});

test("a table that has lost its rows takes back nothing that was counted", () => {
  const usage = createUsage(10);
  add(usage, "a", 3);
  usage.take(10)?.confirm(new Map([["a", 9]]));
  add(usage, "a", 1);
  usage.take(10)?.confirm(new Map([["a", 1]]));
  expect(usage.of("a", 0)).toBe(10);
});

test("a reply about an earlier window changes nothing in the next", () => {
  const usage = createUsage(10);
  add(usage, "a", 3);
  const late = usage.take(10);
  add(usage, "a", 1, MINUTE);
  late?.confirm(new Map([["a", 50]]));
  expect(usage.of("a", MINUTE)).toBe(1);
  late?.giveBack();
  expect(usage.take(10)?.added).toEqual(new Map([["a", 1]]));
});

test("takes no more keys than asked for, the first changed first", () => {
  const usage = createUsage(10);
  for (const key of ["a", "b", "c"]) usage.add(key, 0);
  expect([...(usage.take(2)?.added.keys() ?? [])]).toEqual(["a", "b"]);
  expect([...(usage.take(2)?.added.keys() ?? [])]).toEqual(["c"]);
});

test("beyond its keys, the oldest is forgotten", () => {
  const usage = createUsage(2);
  for (const key of ["a", "b", "c"]) usage.add(key, 0);
  expect([usage.of("a", 0), usage.of("b", 0), usage.of("c", 0)]).toEqual([0, 1, 1]);
  expect(usage.take(10)?.added.size).toBe(2);
});
