import { expect, test } from "@jest/globals";
import { describeError } from "../causes-of.ts";
import { createTelemetry } from "./telemetry.ts";

test("a log line is JSON with the service's name and never contains a token", () => {
  const lines: string[] = [];
  const { log } = createTelemetry({
    service: "workspace",
    level: "info",
    destination: { write: (line: string) => void lines.push(line) },
    processMetrics: false,
  });
  log.info({ token: "cst_secret", request: { authorization: "Bearer cst_secret" } }, "hello");
  log.debug("not at this level");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "info", service: "workspace", msg: "hello" });
  expect(lines[0]).not.toContain("cst_secret");
});

test("an error is described with its causes", () => {
  const error = new Error("list workspaces", { cause: new Error("database is unavailable") });
  expect(describeError(error)).toBe("list workspaces: database is unavailable");
  expect(describeError("text")).toBe("text");
});

test("a condition is logged when it begins, changes and ends, and is 1 in the metric meanwhile", async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const { conditions, metrics } = createTelemetry({
    service: "test",
    level: "info",
    destination,
    processMetrics: false,
  });
  conditions.raise("stream-configuration", "storage is memory");
  conditions.raise("stream-configuration", "storage is memory");
  expect(conditions.list()).toEqual([{ name: "stream-configuration", message: "storage is memory" }]);
  expect(await metrics.metrics()).toMatch(/^operator_condition\{condition="stream-configuration".*\} 1$/m);
  conditions.raise("stream-configuration", "subjects are other.>");
  conditions.clear("stream-configuration");
  conditions.clear("stream-configuration");
  expect(conditions.list()).toEqual([]);
  expect(await metrics.metrics()).toMatch(/^operator_condition\{condition="stream-configuration".*\} 0$/m);
  const logged = lines.map((line) => JSON.parse(line) as { level: string; msg: string });
  expect(logged.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
    "error storage is memory",
    "error subjects are other.>",
    "info the condition has ended",
  ]);
});
