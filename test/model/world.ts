import { randomBytes } from "node:crypto";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Demo } from "@cloud/local-stack";
import { createDemoClients, type DemoClients } from "@cloud/local-stack";
import type { Environment as ApiEnvironment } from "@cloud/proto/environment/v1/records_pb";
import type { User } from "@cloud/proto/identity/v1/records_pb";
import { lineOf } from "./log.ts";
import type { Actor, Environment, Item, Model, Person, Role, Rules, Team, Workspace } from "./model.ts";
import type { Send } from "./real.ts";

/** Users for a number of consecutive sequences. A user in many organizations is slow to authenticate. */
type Cast = Model["people"];
const SEQUENCES_PER_CAST = 4;

const ROLE_AT_HOME = { workspaceAdmin: "Workspace Admin", teamAdmin: "Team Admin", user: "User" } as const;
const ANONYMOUS: Person = {
  id: "",
  token: "",
  profile: { email: "", firstName: "", lastName: "", avatarUrl: "", status: "" },
};

/** Creates a new pair of organizations for each sequence of one shard. */
export function createWorlds(
  demo: Demo,
  send: Send,
): { make(rules: Rules): Promise<Model>; leave(model: Model): void } {
  const clients = createDemoClients(demo);
  let cast: Cast | undefined;
  let used = 0;
  return {
    make: async (rules) => {
      if (cast === undefined || used === SEQUENCES_PER_CAST) {
        cast = await createCast(clients, demo.users.providerAdmin);
        used = 0;
      }
      used++;
      return createWorld(clients, send, cast, rules);
    },
    // A Provider Admin remains one in the next world.
    leave: ({ roles }) => {
      const given = [...roles.values()].flatMap((members) => [...members.values()].flat());
      if (given.includes("Provider Admin")) cast = undefined;
    },
  };
}

async function createCast({ users, tokens }: DemoClients, admin: Demo["users"]["providerAdmin"]): Promise<Cast> {
  const person = async (name: Actor): Promise<Person> => {
    const email = name + "-" + randomBytes(6).toString("hex") + "@model.example";
    const { user } = await users.createUser({ email, firstName: name, lastName: "Model" });
    const id = user?.id ?? "";
    return { id, token: (await tokens.createToken({ name: "model", userId: id })).secret, profile: profileOf(user) };
  };
  const providerAdmin = { ...admin, profile: profileOf((await users.getUser({ id: admin.id })).user) };
  const [orgAdmin, workspaceAdmin, teamAdmin, user, outsider] = await Promise.all([
    person("orgAdmin"),
    person("workspaceAdmin"),
    person("teamAdmin"),
    person("user"),
    person("outsider"),
  ]);
  return { orgAdmin, workspaceAdmin, teamAdmin, user, outsider, providerAdmin, anonymous: ANONYMOUS };
}

function profileOf(user: User | undefined): Person["profile"] {
  if (user === undefined) throw new Error("no user");
  const { email, firstName, lastName, avatarUrl, status } = user;
  return { email, firstName, lastName, avatarUrl, status };
}

async function createWorld(clients: DemoClients, send: Send, people: Cast, rules: Rules): Promise<Model> {
  const create = async (owner: Person) =>
    (await clients.organizations.createOrganization({ name: "Model", owner: owner.id })).organization?.id ?? "";
  const [home, abroad] = await Promise.all([create(people.orgAdmin), create(people.outsider)]);
  const roles = new Map<string, Map<Actor, readonly Role[]>>([
    [home, new Map<Actor, readonly Role[]>([["orgAdmin", ["Org Admin"]]])],
    [abroad, new Map<Actor, readonly Role[]>([["outsider", ["Org Admin"]]])],
  ]);
  for (const actor of ["workspaceAdmin", "teamAdmin", "user"] as const) {
    const role = ROLE_AT_HOME[actor];
    await clients.organizations.setMemberRoles({ id: home, userId: people[actor].id, roleNames: [role] });
    roles.get(home)?.set(actor, [role]);
  }
  const [provisioned, ordinary, foreign] = await Promise.all([
    newEnvironment(clients.environments.provisionEnvironment({ organizationId: home, name: "Platform" }), true),
    newEnvironment(clients.environments.createEnvironment({ organizationId: home, name: "Home" })),
    newEnvironment(clients.environments.createEnvironment({ organizationId: abroad, name: "Abroad" })),
  ]);
  const workspaces = await Promise.all([
    firstWorkspace(send, people.orgAdmin, home),
    firstWorkspace(send, people.outsider, abroad),
  ]);
  return {
    rules,
    people,
    organizations: [home, abroad],
    tag: randomBytes(4).toString("hex"),
    roles,
    workspaces,
    environments: [provisioned, foreign, ordinary],
    teams: [await newTeam(clients, home)],
  };
}

const timeOf = (time: Timestamp | undefined): string => (time === undefined ? "" : timestampDate(time).toISOString());

type Created = Pick<ApiEnvironment, "id" | "organizationId" | "name" | "description" | "createdAt" | "etag">;

function itemOf({ id, organizationId, name, description, createdAt, etag }: Created): Item {
  const time = timeOf(createdAt);
  return { id, organizationId, name, description, createdAt: time, updatedAt: time, etag, deleted: false };
}

async function newEnvironment(
  reply: Promise<{ environment?: ApiEnvironment | undefined }>,
  platformProvisioned = false,
): Promise<Environment> {
  const { environment } = await reply;
  if (environment === undefined) throw new Error("an environment was created, and not returned");
  return { ...itemOf(environment), platformProvisioned };
}

/** Creates a team without an owner. */
async function newTeam(clients: DemoClients, organizationId: string): Promise<Team> {
  const { team } = await clients.teams.createTeam({ organizationId, name: "Home" });
  if (team === undefined) throw new Error("a team was created, and not returned");
  return { ...itemOf(team), owner: team.owner };
}

/** Every organization has one; the first list creates it if the event of the organization's creation is late. */
async function firstWorkspace(send: Send, { id: owner, token }: Person, organization: string): Promise<Workspace> {
  const { body } = await send(token, { method: "GET", path: "/workspaces?orgId=" + organization });
  const workspace = body.workspaces[0];
  return { ...workspace, deleted: false, links: [], log: [lineOf("create", workspace.id, "workspace", owner)] };
}
