import type { Rest } from "../../e2e/rest.ts";
import type { Behind } from "../system/look-behind.ts";

export const LISTS = 50;

/** Creates an organization and lists its workspaces 50 times, over every gateway, while its event is in transit. */
export async function raceForMyWorkspace({ query }: Behind, gateways: readonly [Rest, Rest]) {
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
export async function countMadeByEvent({ query }: Behind, organizations: readonly string[]): Promise<number> {
  const [row] = await query<{ count: string }>(
    "select count(*) from workspace.workspaces w where organization_id = any($1::uuid[])" +
      " and exists (select from workspace.inbox i where i.received_at::timestamptz(3) = w.created_at)",
    [organizations],
  );
  return Number(row?.count);
}
