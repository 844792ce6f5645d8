import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { dashboards } from "../../grafana/dashboards.ts";
import { type Exposed, readExposed, seriesOf } from "./exposed-metrics.ts";
import { promtool } from "./promtool.ts";
import { queriesOf } from "./queries-of.ts";
import { unknownIn } from "./read-query.ts";
import { renderMetrics } from "./render-metrics.ts";

const PAGE = fileURLToPath(new URL("../../../docs/metrics.md", import.meta.url));
const PROGRAMS = ["gateway", "workspace", "environment", "identity"];

let exposed: Exposed;
let series: ReadonlyMap<string, ReadonlySet<string>>;
beforeAll(async () => {
  exposed = await readExposed();
  series = seriesOf(exposed.metrics);
}, 60_000);

describe("what the programs expose", () => {
  test.each(PROGRAMS)("promtool finds nothing wrong with that of %s", (program) => {
    const input = exposed.pages.get(program) ?? "";
    expect(input).toContain(`program="${program}"`);
    expect(promtool(["check", "metrics"], { input })).toEqual({ status: 0, output: "" });
  });

  test("control: promtool refuses a counter that is not named like one", () => {
    const input = "# HELP requests Requests.\n# TYPE requests counter\nrequests 1\n";
    expect(promtool(["check", "metrics"], { input })).toMatchObject({ status: 3 });
  });

  test("is listed in docs/metrics.md", () => {
    const rendered = renderMetrics(exposed.metrics);
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, rendered);
    expect(readFileSync(PAGE, "utf8")).toBe(rendered);
  });
});

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
}

const RULES = readFileSync(new URL("../../prometheus/rules.yaml", import.meta.url), "utf8");
const rules = (parse(RULES) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
const recorded = rules.flatMap(({ record }) => (record === undefined ? [] : [record]));

describe("each query names only metrics and labels that the programs expose", () => {
  const known = () => new Map([...series, ...recorded.map((name): [string, Set<string>] => [name, new Set()])]);

  test.each(rules.map(({ record, alert, expr }) => [record ?? alert, expr]))("rule %s", (_, expr) => {
    expect(unknownIn(expr ?? "", known())).toEqual([]);
  });

  test.each(dashboards)("dashboard $title", (dashboard) => {
    const queries = queriesOf(dashboard);
    expect(queries.length).toBeGreaterThan(5);
    const unknown = queries.flatMap((query) => unknownIn(query, known()).map((name) => [query, name]));
    expect(unknown).toEqual([]);
  });

  test.each([
    ["an unknown metric", "sum(rate(requests_total[5m]))", ["requests_total"]],
    ["a series that a histogram does not have", "rate(http_server_request_duration_seconds[5m])", [expect.anything()]],
    ["an unknown label", 'admission_in_flight{queue="a"}', ["admission_in_flight{queue}"]],
    ["an unknown label of a group", "sum by (program, queue) (admission_in_flight)", ["queue"]],
    ["no metric", "vector(1)", ["no metric"]],
  ])("control: %s is refused", (_, query, expected) => {
    expect(unknownIn(query, known())).toEqual(expected);
  });
});
