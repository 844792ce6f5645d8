import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { dashboards } from "../../grafana/dashboards.ts";
import { promtool } from "./promtool.ts";
import { queriesOf } from "./queries-of.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const FOLDER = join(ROOT, "deploy/prometheus");

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

interface RuleTest {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
}

const text = readFileSync(join(FOLDER, "rules.yaml"), "utf8");
const { groups } = parse(text) as { groups: { rules: (Alert | { record: string })[] }[] };
const alerts = groups.flatMap(({ rules }) => rules).filter((rule) => "alert" in rule);
const TESTS = ["rules.test.yaml", "slow-rules.test.yaml"];
const expectations = TESTS.flatMap((file) => {
  const { tests } = parse(readFileSync(join(FOLDER, file), "utf8")) as { tests: RuleTest[] };
  return tests.flatMap((one) => one.alert_rule_test);
});

/** Runs promtool in a folder that has the rules, with a change, and their tests. */
function testRules(change: (rules: string) => string) {
  const folder = mkdtempSync(join(tmpdir(), "rules-"));
  try {
    writeFileSync(join(folder, "rules.yaml"), change(text));
    for (const file of TESTS) writeFileSync(join(folder, file), readFileSync(join(FOLDER, file)));
    return promtool(["test", "rules", ...TESTS], { cwd: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("each alert fires at its cause and not below it", () => {
  expect(testRules((rules) => rules)).toEqual({ status: 0, output: expect.stringContaining("SUCCESS") });
}, 60_000);

test("control: an alert with another threshold is noticed", () => {
  const { status, output } = testRules((rules) => rules.replace("(messaging_outbox_oldest_seconds) > 60", "$& * 60"));
  expect(status).toBe(1);
  expect(output).toContain("OutboxLag");
}, 60_000);

test.each(alerts)("$alert has a test in which it fires, and one in which it does not", ({ alert }) => {
  const fires = expectations
    .filter(({ alertname }) => alertname === alert)
    .map(({ exp_alerts: all }) => all.length > 0);
  expect(fires).toEqual(expect.arrayContaining([true, false]));
});

test.each(alerts)("$alert has a severity, and its runbook exists and names it", ({ alert, labels, annotations }) => {
  expect(["page", "ticket"]).toContain(labels.severity);
  const page = join(ROOT, annotations.runbook_url);
  expect(annotations.runbook_url).toMatch(/^docs\/runbooks\/[\w-]+\.md$/);
  expect(existsSync(page)).toBe(true);
  expect(readFileSync(page, "utf8")).toContain(`\`${alert}\``);
});

test("promtool accepts the syntax of the rules and of every query of the dashboards", () => {
  const queries = dashboards.flatMap(queriesOf);
  const folder = mkdtempSync(join(tmpdir(), "queries-"));
  const check = (expressions: readonly string[]) => {
    const rules = [...new Set(expressions)].map((expr, index) => ({ record: `query:${index}`, expr }));
    writeFileSync(join(folder, "queries.yaml"), JSON.stringify({ groups: [{ name: "queries", rules }] }));
    return promtool(["check", "rules", "queries.yaml"], { cwd: folder }).status;
  };
  try {
    expect(check(queries)).toBe(0);
    expect(check([...queries, "sum(rate(x[5m])"])).not.toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
