import { type Load, startLoad } from "@cloud/testkit/figures";
import { createHttpClient, keptConnection, newConnections, type Send } from "../system/http-client.ts";
import { SERVICES, type System } from "../system/start-system.ts";
import type { SystemDatabases } from "../system/system-databases.ts";

/** A request of the load, and its status in a healthy system. */
interface Turn {
  readonly what: string;
  readonly expected: number;
  readonly send: (index: number) => ReturnType<Send>;
}

export interface Outcome {
  readonly what: string;
  /** The status, after a wrong one the body too; or how the connection broke. */
  readonly came: number | string;
  readonly correct: boolean;
}

export interface RollingLoad {
  readonly load: Load<Outcome>;
  /** The requests with a wrong response, by kind and by what was received instead. */
  failures(): string[];
  /** Number of records created, and of those created more than once. */
  created(databases: SystemDatabases): Promise<{ confirmed: number; stored: number; twice: number }>;
}

/** The number of clients: so few that none idles. No client can send safely on a connection that its server closes. */
const CLIENTS = 16;

/**
 * Sends reads and writes to all three services through the gateways on kept connections; every fifth request is sent to
 * a service directly, on a new connection, as by a client that connects while a replica is stopping.
 */
export function startRollingLoad(system: System, perSecond: number): RollingLoad {
  const { demo } = system;
  const organizationId = demo.organizations[0]?.id ?? "";
  const token = demo.users.orgAdmin.token;
  const kept = Array.from({ length: CLIENTS }, () => createHttpClient(demo.gateway + "/api", token, keptConnection()));
  const direct = SERVICES.map((name) => createHttpClient(demo.services[name], token, newConnections()));
  const confirmed: string[] = [];

  const rest = (what: string, expected: number, method: string, path: string, named = false): Turn => ({
    what,
    expected,
    send: async (index) => {
      const name = `${what} ${index}`;
      const client = kept[index % CLIENTS] as Send;
      const response = await client(method, path, named ? { organizationId, name } : undefined);
      if (named && response.status === expected) confirmed.push(name);
      return response;
    },
  });
  const turns: readonly Turn[] = [
    rest("create team", 201, "POST", "/identity/teams", true),
    rest("list workspaces", 200, "GET", "/workspaces?orgId=" + organizationId),
    rest("create environment", 201, "POST", "/environments", true),
    rest("get profile", 200, "GET", "/identity/users/profile"),
    rest("create workspace", 201, "POST", "/workspaces", true),
    rest("list environments", 200, "GET", "/environments?orgId=" + organizationId),
    rest("no such workspace", 404, "GET", "/workspaces/00000000-0000-7000-8000-000000000000"),
  ];
  const calls: readonly Turn[] = SERVICES.map((name, at) => ({
    what: `call ${name}`,
    expected: 200,
    send: () => (direct[at] as Send)("POST", LISTS[name], { orgId: organizationId }),
  }));
  const turnOf = (index: number) =>
    (index % 5 === 4 ? calls[Math.floor(index / 5) % calls.length] : turns[index % turns.length]) as Turn;

  const load = startLoad(perSecond, async (index): Promise<Outcome> => {
    const { what, expected, send } = turnOf(index);
    const came = await send(index).then(
      ({ status, body }) => (status === expected ? status : `${status} ${JSON.stringify(body)}`),
      String,
    );
    return { what, came, correct: came === expected };
  });
  const failures = () =>
    load.samples().flatMap(({ result }) => (result?.correct === true ? [] : [`${result?.what}: ${result?.came}`]));
  const created = async ({ query }: SystemDatabases) => {
    const [row] = await query<{ stored: string; twice: string }>(storedNames, [confirmed]);
    return { confirmed: confirmed.length, stored: Number(row?.stored), twice: Number(row?.twice) };
  };
  return { load, failures, created };
}

const LISTS = {
  identity: "/identity.v1.TeamService/ListTeams",
  environment: "/environment.v1.EnvironmentService/ListEnvironments",
  workspace: "/workspace.v1.WorkspaceService/ListWorkspaces",
};

const storedNames = `
  select count(*) as stored, count(*) filter (where times > 1) as twice from (
    select name, count(*) as times from (
      select name from identity.teams
      union all select name from environment.environments
      union all select name from workspace.workspaces) record
    where name = any($1) group by name) named`;
