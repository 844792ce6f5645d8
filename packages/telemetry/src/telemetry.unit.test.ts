import { expect, test } from "@jest/globals";
import { createTelemetry, describeError } from "./index.ts";

test("a log line is JSON with the service's name and never holds a token", () => {
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
