import { expect, test } from "@jest/globals";
import { reconcile } from "./reconcile.ts";
import type { ReferenceKind } from "./reference-kind.ts";

/** References in memory to records in memory: the rule is what is looked at, not the SQL. */
function world(references: number, isLive: (index: number) => boolean) {
  const ids = Array.from({ length: references }, (_, index) => String(index).padStart(6, "0"));
  const kept = new Set(ids);
  const asked: number[] = [];
  const kind: ReferenceKind = {
    name: "test",
    page: async (after, limit) => [...kept].filter((id) => id > after).slice(0, limit),
    live: async (page) => {
      asked.push(page.length);
      return page.filter((id) => isLive(Number(id)));
    },
    end: async (id) => kept.delete(id),
  };
  return { kind, kept, asked };
}

const noGrace = async () => undefined;

test("1,000 dangling references among 2,000 are ended in one pass, page by page", async () => {
  const { kind, kept, asked } = world(2_000, (index) => index % 2 === 0);
  expect(await reconcile(kind, noGrace)).toBe(1_000);
  expect(kept.size).toBe(1_000);
  expect(asked).toEqual([500, 500, 500, 500]);
  expect(await reconcile(kind, noGrace)).toBe(0);
});

test("what the event ends during the grace is no repair", async () => {
  const { kind, kept } = world(3, (index) => index !== 1);
  expect(await reconcile(kind, async () => void kept.delete("000001"))).toBe(0);
});

test("nothing dangling: no grace, no repair", async () => {
  const { kind } = world(10, () => true);
  const grace = async () => {
    throw new Error("waited for nothing");
  };
  expect(await reconcile(kind, grace)).toBe(0);
});

test("an owner that cannot be asked ends nothing", async () => {
  const { kind, kept } = world(10, () => false);
  const silent = { ...kind, live: async () => Promise.reject(new Error("unavailable")) };
  await expect(reconcile(silent, noGrace)).rejects.toThrow("unavailable");
  expect(kept.size).toBe(10);
});
