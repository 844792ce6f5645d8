import { expect } from "@jest/globals";
import { restClients } from "../../e2e/rest.ts";
import { mapAtOnce } from "../system/map-at-once.ts";
import { type System, type SystemOptions, startSystem } from "../system/start-system.ts";
import { openDatabases, type SystemDatabases } from "../system/system-databases.ts";
import { seedLinkedRecords } from "./linked-records.ts";
import { type EndedLinks, watchEndedLinks } from "./watch-ended-links.ts";

/** A system with linked environments and teams; each deletion obliges the workspace service to delete a link. */
export interface LinkedStage {
  readonly system: System;
  readonly databases: SystemDatabases;
  readonly links: EndedLinks;
  /** The resources that are released before the system is stopped. */
  readonly resources: AsyncDisposableStack;
  /** Deletes the next `count` records over REST, half of them teams. Returns their ids once all have returned 204. */
  deleteNext(count: number): Promise<string[]>;
  /** The ids deleted so far. */
  deleted(): readonly string[];
  /** Returns the ids whose link still exists. */
  open(ids: readonly string[]): string[];
  /** Counts the deletions that the activity log does not contain exactly once. */
  notOnce(): Promise<number>;
}

/** Disables the reconcilers' repairs, so that only events produce their effects. */
const NO_REPAIRS = { RECONCILER_GRACE_MS: "600000" };

export async function withLinkedStage(
  records: number,
  options: SystemOptions,
  run: (stage: LinkedStage) => Promise<void>,
): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ ...options, env: { ...NO_REPAIRS, ...options.env } });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const { environments, teams } = await seedLinkedRecords(system, databases, {
    environments: Math.ceil(records / 2),
    teams: Math.ceil(records / 2),
  });
  const links = await watchEndedLinks(system);
  resources.defer(() => links.close());
  const { orgAdmin } = restClients(system.demo);
  const waiting = environments.flatMap((id, index) => [
    { id, path: "/environments/" + id },
    { id: teams[index] ?? "", path: "/identity/teams/" + teams[index] },
  ]);
  const deleted: string[] = [];
  await run({
    system,
    databases,
    links,
    resources,
    deleted: () => deleted,
    open: (ids) => ids.filter((id) => !links.endedAt.has(id)),
    deleteNext: async (count) => {
      const next = waiting.splice(0, count);
      expect(next).toHaveLength(count);
      const statuses = await mapAtOnce(8, next, async ({ path }) => (await orgAdmin.delete(path)).status);
      expect(statuses).toEqual(next.map(() => 204));
      deleted.push(...next.map(({ id }) => id));
      return next.map(({ id }) => id);
    },
    notOnce: async () => {
      const rows = await databases.query<{ id: string }>(
        "select acted_upon as id from workspace.activity_events where action = 'unassign' group by 1 having count(*) = 1",
      );
      const once = new Set(rows.map(({ id }) => id));
      return deleted.filter((id) => !once.has(id)).length;
    },
  });
}
