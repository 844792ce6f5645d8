import type { Program } from "@cloud/testkit";

/** Returns the sum of a program's metric over the series whose labels include all of `labels`; 0 if there are none. */
export async function readMetric(
  program: Program,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const page = await (await fetch(program.operatorUrl + "/metrics")).text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const series = page.split("\n").filter((line) => line.startsWith(name + "{") || line.startsWith(name + " "));
  const matching = series.filter((line) => wanted.every((label) => line.includes(label)));
  return matching.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}
