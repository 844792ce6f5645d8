import { importFrom } from "@cloud/testkit/packages";
import { installBrowserPackages, type Watched } from "./browser.ts";

interface Axe {
  readonly default: { readonly source: string };
}

/** Returns what axe finds on the page: the rule, and the elements that break it. */
export async function violationsOf({ page }: Watched): Promise<unknown> {
  const { default: axe } = await importFrom<Axe>(await installBrowserPackages(), "axe-core");
  await page.evaluate(axe.source);
  const found =
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map((n) => n.target)]))";
  return await page.evaluate(found);
}
