import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { describe, expect, test } from "@jest/globals";
import type { RecordState } from "./owner.ts";
import { type Differences, type ReferenceSet, reconcile } from "./reconcile.ts";

/** References in memory to records in memory: this tests the rule, not the SQL. */
function world(references: number, tombstones: number, stateOf: (index: number) => RecordState) {
  const idOf = (index: number) => String(index).padStart(6, "0");
  const used = new Set(Array.from({ length: references }, (_, index) => idOf(index)));
  const dead = new Map(Array.from({ length: tombstones }, (_, index) => [idOf(index), "1"]));
  const lookedUp: number[] = [];
  const page = (ids: Iterable<string>, after: string, limit: number) =>
    [...ids].filter((id) => id > after).slice(0, limit);
  const kind: ReferenceSet = {
    name: "test",
    record: RecordKind.TEAM,
    owner: {
      name: "owner",
      statesOf: async (_kind, ids) => {
        lookedUp.push(ids.length);
        return new Map(ids.map((id) => [id, stateOf(Number(id))]));
      },
    },
    inUse: async (after, limit) => page(used, after, limit),
    tombstones: async (after, limit) =>
      page(dead.keys(), after, limit).map((id) => ({ id, version: dead.get(id) ?? "" })),
    unlink: async (id) => used.delete(id),
    clear: async ({ id, version }) => dead.get(id) === version && dead.delete(id),
  };
  return { kind, used, dead, lookedUp };
}

const pass = (kind: ReferenceSet, grace = async () => {}) => reconcile(kind, { grace });

describe("references in use", () => {
  test("1,000 of deleted records among 2,000 are deleted in one pass, page by page", async () => {
    const { kind, used, lookedUp } = world(2_000, 0, (index) => (index % 2 === 0 ? "live" : "deleted"));
    expect(await pass(kind)).toMatchObject({ ended: 1_000, cleared: 0, unknown: [] });
    expect(used.size).toBe(1_000);
    expect(lookedUp).toEqual([500, 500, 500, 500, 1_000]);
    expect(await pass(kind)).toMatchObject({ ended: 0 });
  });

  test("of records that the owner does not have are reported and left unchanged", async () => {
    const { kind, used } = world(3, 0, (index) => (index === 1 ? "unknown" : "live"));
    const seen = await pass(kind, async () => Promise.reject(new Error("there was no grace period")));
    expect(seen).toMatchObject({ ended: 0, unknown: ["000001"] });
    expect(used.size).toBe(3);
  });

  test("are reported before the grace period, which may be long", async () => {
    const { kind } = world(2, 0, (index) => (index === 0 ? "deleted" : "unknown"));
    const seen: string[] = [];
    const grace = async () => void seen.push("grace");
    const onFound = ({ unknown }: Differences) => void seen.push(...unknown);
    await reconcile(kind, { grace, onFound });
    expect(seen).toEqual(["000001", "grace"]);
  });

  test("a reference that the event deletes during the grace period is no repair", async () => {
    const { kind, used } = world(3, 0, (index) => (index === 1 ? "deleted" : "live"));
    expect(await pass(kind, async () => void used.delete("000001"))).toMatchObject({ ended: 0 });
  });

  test("a record that is live again after the grace period keeps its references", async () => {
    let state: RecordState = "deleted";
    const { kind, used } = world(1, 0, () => state);
    expect(
      await pass(kind, async () => {
        state = "live";
      }),
    ).toMatchObject({ ended: 0 });
    expect(used.size).toBe(1);
  });

  test("beyond 1,000 deleted ones, the next passes end the rest", async () => {
    const { kind, used } = world(2_500, 0, () => "deleted");
    expect(await pass(kind)).toMatchObject({ ended: 1_000 });
    expect(await pass(kind)).toMatchObject({ ended: 1_000 });
    expect(await pass(kind)).toMatchObject({ ended: 500 });
    expect(used.size).toBe(0);
  });

  test("are all checked in one pass", async () => {
    const { kind, lookedUp } = world(50_001, 0, (index) => (index === 50_000 ? "unknown" : "live"));
    expect(await pass(kind)).toMatchObject({ unknown: ["050000"] });
    expect(lookedUp).toHaveLength(101);
  });
});

describe("tombstones", () => {
  test("of live records are cleared if the owner reports so twice", async () => {
    const { kind, dead, lookedUp } = world(
      0,
      4,
      (index) => (["live", "deleted", "unknown", "live"] as const)[index] ?? "live",
    );
    expect(await pass(kind)).toMatchObject({ cleared: 2 });
    expect([...dead.keys()]).toEqual(["000001", "000002"]);
    expect(lookedUp).toEqual([4, 2]);
  });

  test("a tombstone whose record is deleted during the grace period stays", async () => {
    let state: RecordState = "live";
    const { kind, dead } = world(0, 1, () => state);
    expect(
      await pass(kind, async () => {
        state = "deleted";
      }),
    ).toMatchObject({ cleared: 0 });
    expect(dead.size).toBe(1);
  });

  test("a tombstone that was set again meanwhile stays, although the owner had not yet reported it", async () => {
    const { kind, dead } = world(0, 1, () => "live");
    expect(await pass(kind, async () => void dead.set("000000", "2"))).toMatchObject({ cleared: 0 });
    expect(dead.size).toBe(1);
  });
});

test("an unreachable owner changes nothing", async () => {
  const { kind, used } = world(10, 0, () => "deleted");
  const silent = { ...kind, owner: { name: "owner", statesOf: async () => Promise.reject(new Error("unavailable")) } };
  await expect(pass(silent)).rejects.toThrow("unavailable");
  expect(used.size).toBe(10);
});

test("no differences: no grace period, no second check", async () => {
  const { kind, lookedUp } = world(10, 0, () => "live");
  await pass(kind, async () => Promise.reject(new Error("there was no grace period")));
  expect(lookedUp).toEqual([10]);
});
