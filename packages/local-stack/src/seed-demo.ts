import { reasonOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { createDemoClients, type Demo, type DemoClients, type DemoUser, type DemoUserName } from "./demo.ts";
import type { Stack } from "./stack.ts";

/** Creates the demo's records through the RPC ports of a running stack, about 50 calls. */
export async function seedDemo(stack: Addresses): Promise<Demo> {
  const clients = createDemoClients(stack);
  const people = await seedPeople(clients);
  const resources = await seedResources(clients, people.organizations[0]?.id ?? "", people.users);
  await seedCurricula(clients, people);
  return { ...addressesOf(stack), ...people, ...resources };
}

/**
 * Returns the demo of an earlier start with the current addresses, or undefined if its records are not in the database.
 *
 * @throws ConnectError if the service cannot be reached
 */
export async function renewDemo(stack: Addresses, demo: Demo): Promise<Demo | undefined> {
  const { users } = createDemoClients(stack);
  try {
    for (const { id } of Object.values(demo.users)) await users.getUser({ id });
    return { ...demo, ...addressesOf(stack) };
  } catch (error) {
    if (error instanceof ConnectError && ![Code.NotFound, Code.InvalidArgument].includes(error.code)) throw error;
    return undefined; // a demo.json of other data, or of another version
  }
}

/** The part of a stack that the demo keeps. */
type Addresses = Pick<Stack, "gateway" | "services" | "operators" | "serviceToken">;

function addressesOf({ gateway, services, operators, serviceToken }: Addresses): Addresses {
  return { gateway, services, operators, serviceToken };
}

type People = Pick<Demo, "organizations" | "users" | "teams">;

const PEOPLE: readonly [DemoUserName, string, string][] = [
  ["user", "Uma", "User"],
  ["teamAdmin", "Theo", "Teams"],
  ["workspaceAdmin", "Wanda", "Workspaces"],
  ["orgAdmin", "Otto", "Organization"],
  ["providerAdmin", "Petra", "Provider"],
  ["outsider", "Olga", "Outsider"],
];

/** Creates two organizations and their users, each with one role and one token, and the teams. */
async function seedPeople(clients: DemoClients): Promise<People> {
  const created = await Promise.all(
    PEOPLE.map(
      async ([name, firstName, lastName]) => [name, await createPerson(clients, firstName, lastName)] as const,
    ),
  );
  const users = Object.fromEntries(created) as Record<DemoUserName, DemoUser>;
  // The owner of an organization is its Org Admin.
  const first = await createOrganization(clients, "Acme", users.orgAdmin);
  const second = await createOrganization(clients, "Globex", users.outsider);

  const roles = { user: "User", teamAdmin: "Team Admin", workspaceAdmin: "Workspace Admin" };
  const setRole = (user: DemoUser, role: string) =>
    clients.organizations.setMemberRoles({ id: first.id, userId: user.id, roleNames: [role] });
  await Promise.all([
    setRole(users.user, roles.user),
    setRole(users.teamAdmin, roles.teamAdmin),
    setRole(users.workspaceAdmin, roles.workspaceAdmin),
    setRole(users.providerAdmin, "Provider Admin"),
  ]);
  const teams = {
    first: [
      await createTeam(clients, first.id, "Platform", users.teamAdmin, [users.user, users.teamAdmin]),
      await createTeam(clients, first.id, "Delivery", users.teamAdmin, [users.workspaceAdmin]),
    ],
    second: [await createTeam(clients, second.id, "Field", users.outsider, [users.outsider])],
  };
  return { organizations: [first, second], users, teams };
}

async function createPerson(clients: DemoClients, firstName: string, lastName: string): Promise<DemoUser> {
  const { id = "" } = (await createUser(clients, firstName, lastName)) ?? {};
  const { secret } = await clients.tokens.createToken({ name: "demo", userId: id });
  return { id, token: secret };
}

/**
 * An earlier seeding that was interrupted, or whose demo.json was deleted, may have used the address; then the next one
 * is tried.
 */
async function createUser(clients: DemoClients, firstName: string, lastName: string, round = 1) {
  const email = `${firstName.toLowerCase()}${round === 1 ? "" : round}@demo.example`;
  try {
    return (await clients.users.createUser({ email, firstName, lastName })).user;
  } catch (error) {
    if (reasonOf(error) !== Reason.EMAIL_TAKEN) throw error;
    return createUser(clients, firstName, lastName, round + 1);
  }
}

async function createOrganization(clients: DemoClients, name: string, owner: DemoUser) {
  const description = `${name} of the demo`;
  const { organization } = await clients.organizations.createOrganization({ name, description, owner: owner.id });
  return { id: organization?.id ?? "", name };
}

async function createTeam(
  clients: DemoClients,
  organizationId: string,
  name: string,
  owner: DemoUser,
  members: readonly DemoUser[],
): Promise<string> {
  const { team } = await clients.teams.createTeam({ organizationId, name, owner: owner.id });
  const id = team?.id ?? "";
  for (const member of members) await clients.teams.addTeamMember({ id, userId: member.id });
  return id;
}

type Resources = Pick<Demo, "designs" | "views" | "connections" | "environments">;

const VISIBILITIES = ["private", "public", "published"];

/** Creates the records that workspaces and environments group, all in the given organization. */
async function seedResources(
  clients: DemoClients,
  organizationId: string,
  { workspaceAdmin, orgAdmin }: { workspaceAdmin: DemoUser; orgAdmin: DemoUser },
): Promise<Resources> {
  const created = VISIBILITIES.flatMap((visibility) =>
    [workspaceAdmin, orgAdmin].map(async ({ id: owner }, index) => {
      const name = `${visibility} ${["mesh", "pipeline"][index]}`;
      const design = await clients.designs.createDesign({ organizationId, name, visibility, owner });
      const view = await clients.views.createView({ organizationId, name, visibility, owner });
      return { design: design.design?.id ?? "", view: view.view?.id ?? "" };
    }),
  );
  const pairs = await Promise.all(created);
  return {
    designs: pairs.map(({ design }) => design),
    views: pairs.map(({ view }) => view),
    connections: await seedConnections(clients, organizationId, workspaceAdmin.id),
    environments: await seedEnvironments(clients, organizationId),
  };
}

async function seedConnections(clients: DemoClients, organizationId: string, owner: string): Promise<string[]> {
  const wanted = [
    { name: "Production cluster", kind: "kubernetes", type: "platform", status: "connected" },
    { name: "Metrics", kind: "prometheus", type: "telemetry", status: "connected" },
    { name: "Repository", kind: "git", type: "code", status: "registered" },
  ];
  const create = async (connection: (typeof wanted)[number]) =>
    (await clients.connections.createConnection({ organizationId, owner, ...connection })).connection?.id ?? "";
  return Promise.all(wanted.map(create));
}

async function seedEnvironments(clients: DemoClients, organizationId: string): Promise<Demo["environments"]> {
  const { environments } = clients;
  const [ordinary, provisioned] = await Promise.all([
    environments.createEnvironment({ organizationId, name: "Staging", description: "An ordinary environment" }),
    environments.provisionEnvironment({ organizationId, name: "Platform", description: "Provisioned by the platform" }),
  ]);
  return { ordinary: ordinary.environment?.id ?? "", platformProvisioned: provisioned.environment?.id ?? "" };
}

/** Curricula of both organizations, with three, one and no registrations. */
async function seedCurricula(
  { curricula }: DemoClients,
  { organizations, users }: Pick<Demo, "organizations" | "users">,
): Promise<void> {
  const [first, second] = organizations;
  const wanted = [
    { organization: first, title: "Getting started", type: "learning-path", level: "beginner" },
    { organization: first, title: "Running in production", type: "learning-path", level: "advanced" },
    { organization: second, title: "Field training", type: "workshop", level: "intermediate" },
  ];
  const registered = [[users.user, users.teamAdmin, users.workspaceAdmin], [users.user], []];
  for (const [index, { organization, ...fields }] of wanted.entries()) {
    const organizationId = organization?.id ?? "";
    const { curriculum } = await curricula.createCurriculum({ organizationId, status: "ready", ...fields });
    for (const user of registered[index] ?? []) {
      await curricula.registerForCurriculum({ id: curriculum?.id ?? "", userId: user.id });
    }
  }
}
