import axe from "axe-core";
import type { Watched } from "./browser.ts";

/** Returns what axe finds on the page: the rule, and the elements that break it. */
export async function violationsOf({ page }: Watched): Promise<unknown> {
  await page.evaluate(axe.source);
  const found =
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map((n) => n.target)]))";
  return await page.evaluate(found);
}
