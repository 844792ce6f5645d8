import type { Dashboard } from "../../grafana/panels.ts";

/** Returns the queries of a dashboard, with a range for Grafana's variable. */
export function queriesOf({ panels }: Dashboard): string[] {
  const targets = panels.flatMap((panel) => (panel as { targets?: { expr: string }[] }).targets ?? []);
  return targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "5m"));
}
