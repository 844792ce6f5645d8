import { createTelemetry } from "@cloud/runtime/telemetry";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { createRefusedCallersReport, type RefusedCallers } from "./refused-callers.ts";

const MINUTE_MS = 60_000;
const token = { kind: "token", method: "a.v1.A/B", requestId: "first" } as const;
const credential = { ...token, kind: "service credential" } as const;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function startReport(record?: (refused: RefusedCallers) => Promise<void>) {
  const telemetry = createTelemetry({ service: "test", level: "silent", processMetrics: false });
  const recorded: [kind: string, count: number, requestId: string][] = [];
  const keep = async ({ kind, count, requestId }: RefusedCallers) => void recorded.push([kind, count, requestId]);
  const report = createRefusedCallersReport({ telemetry, everyMs: MINUTE_MS, record: record ?? keep });
  const counted = () => telemetry.metrics.getSingleMetricAsString("rpc_refused_callers_total");
  return { ...report, recorded, counted };
}

test("1,000 of a kind are two reports a minute after the first, each with its count", async () => {
  const { add, recorded, counted } = startReport();
  add(token);
  for (let n = 0; n < 999; n++) add({ ...token, requestId: "later" });
  add(credential);
  expect(recorded).toEqual([
    ["token", 1, "first"],
    ["service credential", 1, "first"],
  ]);
  jest.advanceTimersByTime(MINUTE_MS);
  expect(recorded.slice(2)).toEqual([["token", 999, "later"]]);
  jest.advanceTimersByTime(10 * MINUTE_MS);
  expect(recorded).toHaveLength(3);
  expect(await counted()).toContain('rpc_refused_callers_total{kind="token",program="test"} 1000');
});

test("a minute without any ends the period, and the next is reported at once", () => {
  const { add, recorded } = startReport();
  add(token);
  jest.advanceTimersByTime(MINUTE_MS);
  add(token);
  expect(recorded).toHaveLength(2);
});

test("what is waiting is reported when the server stops", async () => {
  const { add, stop, recorded } = startReport();
  for (let n = 0; n < 3; n++) add(token);
  await stop();
  expect(recorded).toEqual([
    ["token", 1, "first"],
    ["token", 2, "first"],
  ]);
});

test("a report that cannot be kept does not disturb the caller, nor the stop", async () => {
  const { add, stop } = startReport(() => Promise.reject(new Error("no database")));
  add(token);
  await stop();
});
