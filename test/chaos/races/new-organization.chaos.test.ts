import { runFigures, writeReport } from "@cloud/testkit/figures";
import { sideBySide } from "@cloud/testkit/races";
import { expect, test } from "@jest/globals";
import type { Rest } from "../../e2e/rest.ts";
import type { SystemDatabases } from "../system/system-databases.ts";
import { DEADLINE_MS, expectSoundRace, onSystem } from "./race-system.ts";

// services/workspace/test/races/new-organization.int.test.ts plays it in one process, with its control.
const LISTS = 50;
const stage = onSystem({ replicas: 2, proxied: ["nats"] });

test(
  "a new organization raced by 50 lists and the event gets exactly one My Workspace",
  async () => {
    const { system, databases, replicas } = stage();
    const organizations = runFigures({ ci: 20, long: 200 });
    const gateways = replicas.rest(system.demo.users.user.token);
    const rounds = await sideBySide(organizations, 1, async (round) => {
      // NATS delivers the event of every second organization late: there the lists come first.
      system.proxies.nats.workspace.delay(round % 2 === 0 ? 0 : 100);
      return raceForMyWorkspace(databases, gateways);
    });
    system.proxies.nats.workspace.delay(0);
    await databases.drained(30_000);
    const made = await Promise.all(rounds.map((round) => round.made()));
    const byEvent = await countMadeByEvent(
      databases,
      rounds.map((round) => round.organization),
    );
    const max = Math.max(...made.map((workspaces) => workspaces.length));
    writeReport({ what: "new-organizations", promise: 10, organizations, lists: LISTS, replicas: 2, max, byEvent });
    expect(made.map((workspaces) => workspaces.length)).toEqual(Array(organizations).fill(1));
    // Every list showed just that one.
    expect(rounds.map(({ listed }) => listed)).toEqual(made);
    // Both came first.
    expect(byEvent).toBeGreaterThan(0);
    expect(byEvent).toBeLessThan(organizations);
  },
  DEADLINE_MS,
);

test("meanwhile no process crashed and no repair was needed", () => expectSoundRace(stage()), 60_000);

/** Creates an organization and lists its workspaces 50 times, over every gateway, while its event is in transit. */
async function raceForMyWorkspace({ query }: SystemDatabases, gateways: readonly [Rest, Rest]) {
  const founded = await gateways[0].post("/identity/organizations", { name: "Race" });
  const organization: string = founded.body.id;
  const replies = await Promise.all(
    Array.from({ length: LISTS }, (_, list) => (gateways[list % 2] as Rest).get("/workspaces?orgId=" + organization)),
  );
  const listed = replies.map(({ status, body }) =>
    [status, ...(body.workspaces ?? []).map(({ id, name }: { id: string; name: string }) => name + " " + id)].join(" "),
  );
  const made = async () =>
    (await query<{ id: string }>("select id from workspace.workspaces where organization_id = $1", [organization])).map(
      ({ id }) => "200 My Workspace " + id,
    );
  return { organization, listed: [...new Set(listed)], made };
}

/**
 * Counts the organizations whose workspace was created by the event and not by a list: it has the time of the event.
 */
async function countMadeByEvent({ query }: SystemDatabases, organizations: readonly string[]): Promise<number> {
  const [row] = await query<{ count: string }>(
    `
    select count(*)
    from workspace.workspaces w
    where organization_id = any($1::uuid[])
      and exists (select from workspace.inbox i where i.received_at::timestamptz(3) = w.created_at)`,
    [organizations],
  );
  return Number(row?.count);
}
