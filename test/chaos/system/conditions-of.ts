import type { Program } from "@cloud/testkit";
import { readConditions } from "./read-conditions.ts";
import { readMetric } from "./read-metric.ts";

/** Returns the names of the conditions that a program reports on `/readyz`. @throws Error if its metrics disagree */
export async function conditionsOf(program: Program): Promise<string[]> {
  const names = (await readConditions(program)).map((line) => line.split(":")[0] ?? "");
  for (const condition of names) {
    const value = await readMetric(program, "operator_condition", { condition });
    if (value !== 1) throw new Error(`${program.name}: ${condition} is ${value} in the metrics`);
  }
  return names;
}
