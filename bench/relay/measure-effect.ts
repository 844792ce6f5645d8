import { waitFor } from "@cloud/testkit";
import { type Latencies, latenciesOf, startLoad } from "@cloud/testkit/figures";
import { seedLinkedRecords } from "../../test/chaos/linked-records/linked-records.ts";
import { watchEndedLinks } from "../../test/chaos/linked-records/watch-ended-links.ts";
import type { System } from "../../test/chaos/system/start-system.ts";
import type { SystemDatabases } from "../../test/chaos/system/system-databases.ts";
import { restFor } from "../../test/e2e/rest.ts";

/** The rate of changes a second, so low that none waits for another. */
const PER_SECOND = 20;

export interface EffectFigures {
  /** From the request of a change to its response. */
  readonly response: Latencies;
  /** From the response until the other service has applied the event. */
  readonly effect: Latencies;
}

/** Deletes environments over REST, and measures from each response until the workspace service has deleted the link. */
export async function measureEffect(system: System, databases: SystemDatabases, count: number): Promise<EffectFigures> {
  const { environments } = await seedLinkedRecords(system, databases, { environments: 2 * count, teams: 0 });
  const links = await watchEndedLinks(system);
  const rest = restFor(system.demo, system.demo.users.orgAdmin.token);
  const load = startLoad(PER_SECOND, async (index) => {
    const id = environments[index] ?? "";
    const requestedAt = performance.now();
    const { status } = await rest.delete(`/environments/${id}`);
    if (status !== 204) throw new Error(`an environment was not deleted: ${status}`);
    return { id, requestedAt, respondedAt: performance.now() };
  });
  const deadlineMs = (2 * 1000 * count) / PER_SECOND + 10_000;
  await waitFor(() => load.samples().length >= count || undefined, { deadlineMs });
  const samples = await load.stop();
  const deleted = samples.flatMap(({ result }) => result ?? []);
  await waitFor(() => deleted.every(({ id }) => links.endedAt.has(id)) || undefined, { deadlineMs: 60_000 });
  await links.close();
  // A link deleted before the response is no wait.
  const waits = deleted.map(({ id, respondedAt }) => Math.max(0, (links.endedAt.get(id) ?? 0) - respondedAt));
  return {
    response: latenciesOf(deleted.map(({ requestedAt, respondedAt }) => respondedAt - requestedAt)),
    effect: latenciesOf(waits),
  };
}
