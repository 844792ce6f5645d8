import type { Contest, Contestant } from "../harness/contestant.ts";
import { type RequestParts, writeRequest } from "../harness/load.ts";
import type { Links, Pair, Schema } from "./links.ts";
import type { Records } from "./seed.ts";

/** Which schema of the database a contestant writes. */
const schemaOf = ({ name }: Contestant): Schema => (name === "monolith" ? "monolith" : "workspace");

/** All pairs of a workspace and a team. */
export const pairsOf = ({ workspaces, teams }: Pick<Records, "workspaces" | "teams">): Pair[] =>
  workspaces.flatMap((workspace) => teams.map((team): Pair => [workspace, team]));

/** The six requests of the path, each with a token of 64 in turn. */
export function pathContests(records: Records, links: Links): Contest[] {
  const { tokens, organization, other, workspaces } = records;
  const write = (parts: RequestParts, index: number) =>
    writeRequest({ ...parts, token: tokens[index % tokens.length] ?? "" });
  const forEachToken = (parts: (index: number) => RequestParts) => tokens.map((_, index) => write(parts(index), index));
  const workspaceOf = (index: number) => workspaces[index % workspaces.length];
  const pairs = pairsOf(records).map(([workspace, team]) => `/api/workspaces/${workspace}/teams/${team}`);
  const forEachPair = (method: string) => ({
    requests: pairs.map((path, index) => write({ method, path }, index)),
    most: pairs.length,
  });
  return [
    {
      what: "GET one",
      status: 200,
      requests: forEachToken((index) => ({ method: "GET", path: `/api/workspaces/${workspaceOf(index)}` })),
    },
    {
      what: "list of 25",
      status: 200,
      requests: forEachToken(() => ({ method: "GET", path: `/api/workspaces?orgId=${organization}` })),
    },
    {
      what: "environments of a workspace",
      status: 200,
      requests: forEachToken((index) => ({
        method: "GET",
        path: `/api/workspaces/${workspaceOf(index)}/environments`,
      })),
    },
    {
      what: "create",
      status: 201,
      requests: forEachToken(() => ({
        method: "POST",
        path: "/api/workspaces",
        body: { organizationId: other, name: "Created", description: "One of those that the benchmark creates" },
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
