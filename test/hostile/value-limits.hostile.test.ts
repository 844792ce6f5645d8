import type { JsonValue } from "@bufbuild/protobuf";
import { sql } from "@cloud/postgres";
import type { RemovedProtection } from "@cloud/testkit";
import { writeReport } from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import type { Mapping } from "../cases/runner/case-file.ts";
import { findMethod } from "../cases/runner/find-method.ts";
import { createSurfaces, type Outcome, type Surface } from "../cases/surfaces/surfaces.ts";
import { mapAtOnce } from "../chaos/system/map-at-once.ts";
import { startSystem } from "../chaos/system/start-system.ts";
import { openDatabases } from "../chaos/system/system-databases.ts";
import { hostileControls } from "./controls.ts";
import { limitValues } from "./value-limits/limit-values.ts";
import { LIMITED_RECORDS, type LimitedRecord } from "./value-limits/limited-records.ts";

interface Stage {
  readonly surfaces: readonly (readonly [name: string, call: Surface])[];
  readonly organizationId: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Counts the rows of all tables of limited records. */
  readonly countRows: () => Promise<number>;
}

async function start(resources: AsyncDisposableStack, removeAlso: readonly RemovedProtection[] = []): Promise<Stage> {
  const system = await startSystem({ removeAlso });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const { demo } = system;
  const { surfaces, close } = createSurfaces(demo);
  resources.defer(close);
  return {
    surfaces: Object.entries(surfaces),
    organizationId: demo.organizations[0]?.id ?? "",
    headers: { authorization: `Bearer ${demo.users.orgAdmin.token}` },
    countRows: async () => {
      const counts = LIMITED_RECORDS.map(async ({ table }) => {
        const [row] = await databases.query<{ count: string }>(sql`select count(*) as count from ${table}`);
        return Number(row?.count);
      });
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },
  };
}

const rpc = ({ name }: LimitedRecord, verb: string) => findMethod(`${name}Service/${verb}${name.split(".").at(-1)}`);

/** How many values are written and read concurrently. */
const CONCURRENCY = 6;

interface Written {
  readonly record: LimitedRecord;
  readonly field: string;
  readonly value: JsonValue;
  readonly outcome: Outcome;
  /** The record, the value and the surface. */
  readonly name: string;
}

/** Writes each value by each surface, and passes what came of it to `then`. */
async function write(
  { surfaces, organizationId, headers }: Stage,
  over: 0 | 1,
  then: (written: Written) => Promise<void> | void,
): Promise<void> {
  const values = LIMITED_RECORDS.flatMap((record) =>
    limitValues(over, record.texts, record.hasMetadata).flatMap((value) =>
      surfaces.map(([surface, call]) => ({ record, ...value, surface, call })),
    ),
  );
  await mapAtOnce(CONCURRENCY, values, async ({ record, field, what, value, surface, call }) => {
    const request: Mapping = { organizationId, name: "Limited", [field]: value };
    const outcome = await call(rpc(record, "Create"), request, headers);
    await then({ record, field, value, outcome, name: `${record.name} ${what}, written by ${surface}` });
  });
}

const summaryOf = (outcome: Outcome) => ("reason" in outcome ? outcome.reason : "succeeded");

test("what is written at the limits, by any surface, is read by every other, and equal", async () => {
  await using resources = new AsyncDisposableStack();
  const stage = await start(resources);
  const wrong: string[] = [];
  let [written, read] = [0, 0];
  await write(stage, 0, async ({ record, field, value, outcome, name }) => {
    const created = "body" in outcome ? (outcome.body as Record<string, JsonValue>) : undefined;
    if (created === undefined) {
      wrong.push(`${name}: ${summaryOf(outcome)}`);
      return;
    }
    written++;
    for (const [surface, call] of stage.surfaces) {
      const seen = await call(rpc(record, "Get"), { id: created["id"] }, stage.headers);
      const found = "body" in seen ? (seen.body as Record<string, JsonValue>)[field] : summaryOf(seen);
      if (JSON.stringify(sorted(found)) === JSON.stringify(sorted(value))) read++;
      else wrong.push(`${name}, read by ${surface}: ${JSON.stringify(found).slice(0, 100)}`);
    }
  });
  writeReport({ what: "hostile-value-limits", promise: 11, written, read, wrong: wrong.length });
  expect(wrong).toEqual([]);
  expect(written).toBeGreaterThan(250);
}, 600_000);

/** The keys of an object have no order in the database. */
function sorted(value: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value ?? null;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}

async function writeAbove(removeAlso: readonly RemovedProtection[] = []) {
  await using resources = new AsyncDisposableStack();
  const stage = await start(resources, removeAlso);
  const before = await stage.countRows();
  const wrong: string[] = [];
  let calls = 0;
  await write(stage, 1, ({ record, field, outcome, name }) => {
    calls++;
    const expected = field === "metadata" ? "INVALID_PARAMETER" : record.tooLong;
    if (summaryOf(outcome) !== expected) wrong.push(`${name}: ${summaryOf(outcome)}`);
  });
  return { calls, wrong, stored: (await stage.countRows()) - before };
}

test("one above a limit is refused by every surface, for the same reason, and nothing is stored", async () => {
  const { calls, wrong, stored } = await writeAbove();
  writeReport({ what: "hostile-values-above", promise: 11, calls, wrong: wrong.length, stored });
  expect(wrong).toEqual([]);
  expect(stored).toBe(0);
}, 600_000);

test("control: without the rules of the services, what is above the limits is stored", async () => {
  const { wrong, stored } = await writeAbove(hostileControls.valueLimits);
  writeReport({ what: "hostile-values-above-control", promise: 11, wrong: wrong.length, stored });
  expect(stored).toBeGreaterThan(0);
  expect(wrong).toContain("environment.v1.Connection 32 levels, written by Connect JSON: succeeded");
  expect(wrong).toContain("workspace.v1.Workspace 1,000 keys, written by gRPC: succeeded");
  expect(wrong).toContain("environment.v1.Environment 64 KiB of zeros, written by REST: succeeded");
}, 600_000);
