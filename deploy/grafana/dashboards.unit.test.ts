import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { dashboards } from "./dashboards.ts";

const FOLDER = fileURLToPath(new URL("rendered/", import.meta.url));

// After a change: UPDATE_DOCS=1 npm test -- deploy/grafana
test.each(dashboards)("$uid is rendered as it is written", (dashboard) => {
  const file = `${FOLDER}${dashboard.uid}.json`;
  const rendered = `${JSON.stringify(dashboard, null, 2)}\n`;
  if (process.env["UPDATE_DOCS"] === "1") {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, rendered);
  }
  expect(readFileSync(file, "utf8")).toBe(rendered);
});

test("there is one for each program and one for events, and no other file", () => {
  const files = ["gateway", "workspace", "environment", "identity", "events"].map((name) => `cloud-${name}.json`);
  expect(readdirSync(FOLDER).sort()).toEqual(files.sort());
});
