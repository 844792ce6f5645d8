import type { Contest, Contestant } from "../harness/contestant.ts";
import { type RequestParts, writeRequest } from "../harness/load.ts";
import type { InsertedRecords } from "./insert-records.ts";
import type { Links, Pair, Schema } from "./links.ts";

/** A user who sends requests, and the records that they name. */
export interface Requester {
  readonly token: string;
  /** The organization whose workspaces are listed. */
  readonly organization: string;
  /** The organization in which workspaces are created. */
  readonly createsIn: string;
  readonly workspace: string;
}

/** The schema of the database that a contestant writes. */
const schemaOf = ({ name }: Contestant): Schema => (name === "monolith" ? "monolith" : "workspace");

/** All pairs of a workspace and a team. */
export const pairsOf = ({ workspaces, teams }: Pick<InsertedRecords, "workspaces" | "teams">): Pair[] =>
  workspaces.flatMap((workspace) => teams.map((team): Pair => [workspace, team]));

/** The six requests of the path, each by all requesters in turn. */
export function pathContests(requesters: readonly Requester[], pairs: readonly Pair[], links: Links): Contest[] {
  const forEachRequester = (partsOf: (requester: Requester) => RequestParts) =>
    requesters.map((requester) => writeRequest({ ...partsOf(requester), token: requester.token }));
  const forEachPair = (method: string) => ({
    requests: pairs.map(([workspace, team], index) => {
      const path = `/api/workspaces/${workspace}/teams/${team}`;
      return writeRequest({ method, path, token: requesters[index % requesters.length]?.token ?? "" });
    }),
    max: pairs.length,
  });
  return [
    {
      what: "GET one",
      status: 200,
      requests: forEachRequester(({ workspace }) => ({ method: "GET", path: `/api/workspaces/${workspace}` })),
    },
    {
      what: "list of 25",
      status: 200,
      requests: forEachRequester(({ organization }) => ({
        method: "GET",
        path: `/api/workspaces?orgId=${organization}`,
      })),
    },
    {
      what: "environments of a workspace",
      status: 200,
      requests: forEachRequester(({ workspace }) => ({
        method: "GET",
        path: `/api/workspaces/${workspace}/environments`,
      })),
    },
    {
      what: "create",
      status: 201,
      requests: forEachRequester(({ createsIn }) => ({
        method: "POST",
        path: "/api/workspaces",
        body: { organizationId: createsIn, name: "Created", description: "One of many that the benchmark creates" },
      })),
    },
    {
      what: "assign team",
      status: 200,
      ...forEachPair("POST"),
      before: (contestant) => links.deleteAll(schemaOf(contestant)),
    },
    {
      what: "remove team",
      status: 204,
      ...forEachPair("DELETE"),
      before: (contestant) => links.insertAll(schemaOf(contestant)),
    },
  ];
}
