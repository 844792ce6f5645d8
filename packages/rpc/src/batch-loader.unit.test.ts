import { type Correlation, correlate, currentCorrelation } from "@cloud/runtime/telemetry";
import { expect, test } from "@jest/globals";
import { createBatchLoader } from "./batch-loader.ts";

const request = (requestId: string): Correlation => ({ requestId, traceparent: "", tracestate: "" });

test("a look-up runs for the request that it serves, and one for several under an id of its own", async () => {
  const seen: (Correlation | undefined)[] = [];
  const load = createBatchLoader(
    async (keys) => {
      seen.push(currentCorrelation());
      return new Map(keys.map((key) => [key, key]));
    },
    { maxBatchSize: 10 },
  );
  const [a, b] = [request("a"), request("b")];
  const loadFor = (cause: Correlation, key: string) =>
    correlate(cause, async () => {
      const value = await load(key);
      return [value, currentCorrelation()?.requestId];
    });
  expect(await loadFor(a, "x")).toEqual(["x", "a"]);
  expect(await Promise.all([loadFor(a, "x"), loadFor(b, "y"), loadFor(b, "x")])).toEqual([
    ["x", "a"],
    ["y", "b"],
    ["x", "b"],
  ]);
  expect(seen).toEqual([a, { ...request(expect.any(String) as never), sharedBy: [a, b] }]);
  expect(["a", "b"]).not.toContain(seen[1]?.requestId);
  await load("z");
  expect(seen[2]).toBeUndefined();
});
