import type { Program } from "@cloud/testkit";

/** The sum of a metric over its series whose labels hold all of `labels`, as the program tells it now; 0 without any. */
export async function readMetric(
  program: Program,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const page = await (await fetch(program.url + "/metrics")).text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const series = page.split("\n").filter((line) => line.startsWith(name + "{") || line.startsWith(name + " "));
  const matching = series.filter((line) => wanted.every((label) => line.includes(label)));
  return matching.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}
