import { type Load, startLoad } from "@cloud/testkit";
import { type Answer, everybody, type Rest } from "../../rest.ts";
import type { Behind } from "../system/look-behind.ts";
import type { System } from "../system/start-system.ts";

/** What one request of the load came to. */
export interface Outcome {
  /** Such as `create team`. */
  readonly what: string;
  readonly status: number;
  /** Whether it is the answer that a system in good health gives. */
  readonly correct: boolean;
  readonly retryAfter: string | null;
}

export interface MixedLoad {
  readonly load: Load<Outcome>;
  /** Looks for everything that a 2xx confirmed; answers what is not there. */
  missing(behind: Behind): Promise<string[]>;
}

type Kind = "team" | "environment" | "workspace" | "organization";

/** Reads and writes of all three services over REST, in turn, `perSecond` altogether. */
export function startMixedLoad({ demo }: System, perSecond: number): MixedLoad {
  const { orgAdmin, providerAdmin } = everybody(demo);
  const organizationId = demo.organizations[0]?.id ?? "";
  const confirmed: Record<Kind, string[]> = { team: [], environment: [], workspace: [], organization: [] };
  const deletable: string[] = [];
  const deleted: string[] = [];

  const create = async (kind: Kind, path: string, by: Rest, index: number) => {
    const name = `${kind} ${index}`;
    const answer = await by.post(path, kind === "organization" ? { name } : { organizationId, name });
    const correct = answer.status === 201 && answer.body.name === name;
    if (answer.status === 201) confirmed[kind].push(answer.body.id);
    if (answer.status === 201 && kind === "environment") deletable.push(answer.body.id);
    return outcome(`create ${kind}`, answer, correct);
  };
  const read = async (what: string, path: string) => {
    const answer = await orgAdmin.get(path);
    return outcome(what, answer, answer.status === 200);
  };
  /** Once only: after an answer that was lost, a second one would be told that there is no such environment. */
  const deleteEnvironment = async () => {
    const id = deletable.shift();
    if (id === undefined) return await read("read environments", "/environments?orgId=" + organizationId);
    const answer = await orgAdmin.delete("/environments/" + id);
    if (answer.status === 204) deleted.push(id);
    return outcome("delete environment", answer, answer.status === 204);
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

  const missing = async ({ query }: Behind) => {
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

/** What a 2xx promised, the statement that finds it, and of which ids. */
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
    // What the event of its creation owes: exactly one.
    [
      "My Workspace of",
      "select organization_id as id from workspace.workspaces where organization_id = any($1)" +
        " and name = 'My Workspace' group by organization_id having count(*) = 1",
      confirmed.organization,
    ],
  ];
}

function outcome(what: string, { status, headers }: Answer, correct: boolean): Outcome {
  return { what, status, correct, retryAfter: headers.get("retry-after") };
}
