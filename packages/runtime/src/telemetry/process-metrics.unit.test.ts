import { expect, test } from "@jest/globals";
import { Registry } from "prom-client";
import { createDurations } from "./process-metrics.ts";

test("counts each duration in the first bucket whose bound it does not exceed", async () => {
  const registry = new Registry();
  registry.setDefaultLabels({ program: "test" });
  const durations = createDurations({ name: "x_seconds", help: "x", labelNames: ["a", "b"], registry });
  for (const seconds of [0, 0.001, 0.0011, 0.5, 60]) durations.observe({ a: "1", b: 'q"' }, seconds);
  const text = await registry.metrics();
  const lines = text.matchAll(/^x_seconds_bucket\{le="(\S+?)",.*\} (\d+)$/gm);
  const buckets = Object.fromEntries(Array.from(lines, ([, le = "", count]) => [le, count]));
  expect(Object.keys(buckets)).toHaveLength(17);
  expect(buckets).toMatchObject({ "0.001": "2", "0.0025": "3", "0.25": "3", "0.5": "4", "10": "4", "+Inf": "5" });
  expect(text).toContain('x_seconds_bucket{le="0.001",program="test",a="1",b="q\\""} 2\n');
  expect(text).toContain('x_seconds_sum{program="test",a="1",b="q\\""} 60.5021\n');
  expect(text).toContain('x_seconds_count{program="test",a="1",b="q\\""} 5\n');
});
