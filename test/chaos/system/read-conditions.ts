import type { Program } from "@cloud/testkit";

/**
 * Reads the conditions that an operator must act on, as `name: message`, from a program's `/readyz`. @throws Error if
 * it is not ready
 */
export async function readConditions(program: Program): Promise<string[]> {
  const response = await fetch(program.operatorUrl + "/readyz");
  const [first, ...lines] = (await response.text()).trimEnd().split("\n");
  if (response.status !== 200) throw new Error(`${program.name} answers ${response.status}: ${first}`);
  return lines;
}
