import { type Load, startLoad } from "@cloud/testkit/figures";
import { linkPaths, type Place } from "../places/create-place.ts";

const PER_SECOND = 20;

export interface Repeated {
  readonly what: string;
  readonly status: number;
}

/** Reads from all services, and creates existing links again: whatever the response, no count changes. */
export function repeatRequests(places: readonly Place[]): Load<Repeated> {
  const requests = places.flatMap(({ rest, organization, parts }) => [
    { what: "list workspaces", send: () => rest.get("/workspaces?orgId=" + organization) },
    { what: "list environments", send: () => rest.get("/environments?orgId=" + organization) },
    { what: "list teams", send: () => rest.get("/identity/teams?orgId=" + organization) },
    ...linkPaths(parts).map((path) => ({ what: "link " + path.split("/")[3], send: () => rest.post(path) })),
  ]);
  return startLoad(PER_SECOND, async (index) => {
    const { what, send } = requests[index % requests.length] as (typeof requests)[number];
    return { what, status: (await send()).status };
  });
}

/** Counts the statuses of each request. */
export function tally(load: Load<Repeated>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { result } of load.samples()) {
    const key = result === undefined ? "no answer" : `${result.what}: ${result.status}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
