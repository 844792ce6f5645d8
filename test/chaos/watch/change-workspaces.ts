import { setTimeout as delay } from "node:timers/promises";
import type { Demo } from "@cloud/local-stack";
import { restClients } from "../../e2e/rest.ts";

/**
 * Changes one workspace after another through the gateway, until it is aborted. Returns how often that was confirmed: a
 * request fails when a program is killed meanwhile, and its change may have been made.
 */
export async function changeWorkspaces(demo: Demo, ids: readonly string[], until: AbortSignal): Promise<number> {
  const { orgAdmin } = restClients(demo);
  let confirmed = 0;
  for (let change = 0; !until.aborted; change++) {
    const path = `/workspaces/${ids[change % ids.length]}`;
    const answer = await orgAdmin.put(path, { name: `Watched ${change}` }).catch(() => undefined);
    if (answer?.status === 200) confirmed++;
    await delay(50);
  }
  return confirmed;
}
