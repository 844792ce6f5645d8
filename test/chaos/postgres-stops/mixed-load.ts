import { type Load, startLoad } from "@cloud/testkit/figures";
import { type Rest, type RestResponse, restClients } from "../../e2e/rest.ts";
import type { System } from "../system/start-system.ts";
import type { SystemDatabases } from "../system/system-databases.ts";

/** The outcome of one request of the load. */
export interface Outcome {
  /** The name of the request, such as `create team`. */
  readonly what: string;
  readonly status: number;
  /** Whether it is the response of a healthy system. */
  readonly correct: boolean;
  readonly retryAfter: string | null;
}

export interface MixedLoad {
  readonly load: Load<Outcome>;
  /** Looks up everything that a 2xx confirmed; returns what cannot be found. */
  missing(databases: SystemDatabases): Promise<string[]>;
}

type Kind = "team" | "environment" | "workspace" | "organization";

/** Sends reads and writes to all three services over REST, in turn, `perSecond` altogether. */
export function startMixedLoad({ demo }: System, perSecond: number): MixedLoad {
  const { orgAdmin, providerAdmin } = restClients(demo);
  const organizationId = demo.organizations[0]?.id ?? "";
  const confirmed: Record<Kind, string[]> = { team: [], environment: [], workspace: [], organization: [] };
  const deletable: string[] = [];
  const deleted: string[] = [];

  const create = async (kind: Kind, path: string, by: Rest, index: number) => {
    const name = `${kind} ${index}`;
    const response = await by.post(path, kind === "organization" ? { name } : { organizationId, name });
    const correct = response.status === 201 && response.body.name === name;
    if (response.status === 201) confirmed[kind].push(response.body.id);
    if (response.status === 201 && kind === "environment") deletable.push(response.body.id);
    return outcome(`create ${kind}`, response, correct);
  };
  const read = async (what: string, path: string) => {
    const response = await orgAdmin.get(path);
    return outcome(what, response, response.status === 200);
  };
  /** Not repeated: after a lost response, a second request would get 404. */
  const deleteEnvironment = async () => {
    const id = deletable.shift();
    if (id === undefined) return await read("read environments", "/environments?orgId=" + organizationId);
    const response = await orgAdmin.delete("/environments/" + id);
    if (response.status === 204) deleted.push(id);
    return outcome("delete environment", response, response.status === 204);
  };
  const turns: readonly ((index: number) => Promise<Outcome>)[] = [
    (index) => create("team", "/identity/teams", orgAdmin, index),
    () => read("read profile", "/identity/users/profile"),
    (index) => create("environment", "/environments", orgAdmin, index),
    () => read("read workspaces", "/workspaces?orgId=" + organizationId),
    (index) => create("workspace", "/workspaces", orgAdmin, index),
    () => read("read environments", "/environments?orgId=" + organizationId),
    (index) => create("organization", "/identity/organizations", providerAdmin, index),
    deleteEnvironment,
  ];
  const load = startLoad(perSecond, (index) => (turns[index % turns.length] as (typeof turns)[number])(index));

  const missing = async ({ query }: SystemDatabases) => {
    const found = async (statement: string, ids: readonly string[]) => {
      const rows = await query<{ id: string }>(statement, [ids]);
      return new Set(rows.map((row) => row.id));
    };
    const checks = checksOf(confirmed, deleted).map(async ([what, statement, ids]) => {
      const there = await found(statement, ids);
      return ids.filter((id) => !there.has(id)).map((id) => `${what} ${id}`);
    });
    return (await Promise.all(checks)).flat();
  };
  return { load, missing };
}

/** Returns the promises of 2xx responses: the statement that checks each, and for which ids. */
function checksOf(
  confirmed: Readonly<Record<Kind, readonly string[]>>,
  deleted: readonly string[],
): (readonly [string, string, readonly string[]])[] {
  return [
    ["team", "select id from identity.teams where id = any($1)", confirmed.team],
    ["environment", "select id from environment.environments where id = any($1)", confirmed.environment],
    ["workspace", "select id from workspace.workspaces where id = any($1)", confirmed.workspace],
    ["organization", "select id from identity.organizations where id = any($1)", confirmed.organization],
    ["deletion of", "select id from environment.environments where id = any($1) and deleted_at is not null", deleted],
    // The effect that the event of its creation owes: exactly one.
    [
      "My Workspace of",
      "select organization_id as id from workspace.workspaces where organization_id = any($1)" +
        " and name = 'My Workspace' group by organization_id having count(*) = 1",
      confirmed.organization,
    ],
  ];
}

function outcome(what: string, { status, headers }: RestResponse, correct: boolean): Outcome {
  return { what, status, correct, retryAfter: headers.get("retry-after") };
}
