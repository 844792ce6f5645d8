import type { ExposedMetric } from "./exposed-metrics.ts";

/** The metrics of the process itself, which have prom-client's names. */
const OF_PROCESS = /^(process|nodejs)_/;

/** Renders docs/metrics.md. */
export function renderMetrics(metrics: readonly ExposedMetric[]): string {
  const own = metrics.filter(({ name }) => !OF_PROCESS.test(name));
  const process = metrics.filter(({ name }) => OF_PROCESS.test(name));
  return `# Metrics

Each program exposes these at \`/metrics\` of its operator port, for Prometheus. Rendered from the running programs; after a
change: \`UPDATE_DOCS=1 npm run test:deploy -- deploy/test/metrics\`.

Names and labels are OpenTelemetry's where its conventions have one, as its translation to Prometheus spells them:
\`http_server_request_duration_seconds\` is http.server.request.duration. Two differ, because promtool refuses the
translation or the meaning is another: \`db_client_connections\` is db.client.connection.count, and
\`messaging_published_total\` and \`messaging_consumed_total\` count events that the stream confirmed and that were applied,
not attempts. ADR 34 has the reasons. Every series has the label \`program\`; \`service\`, \`job\`, \`instance\`, \`pod\` and
their like are Prometheus' own, of the target.

No label has a value that a client chooses: a route is a path template, and a method an RPC. Counters, and the
durations of successes and of the program's own faults, begin at 0, so that their first increase is one.

| Name | Type | Labels | Programs | Meaning |
| --- | --- | --- | --- | --- |
${own.map(row).join("\n")}

## Of the process

| Name | Type | Labels | Programs | Meaning |
| --- | --- | --- | --- | --- |
${process.map(row).join("\n")}
`;
}

function row({ name, type, labels, programs, help }: ExposedMetric): string {
  const own = labels.filter((label) => label !== "program").join(", ");
  const where = programs.length === 4 ? "all" : programs.join(", ");
  const text = help.charAt(0).toUpperCase() + help.slice(1).replace(/\.$/, "");
  return `| ${name} | ${type} | ${own} | ${where} | ${text} |`;
}
