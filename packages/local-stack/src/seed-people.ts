import { reasonOf } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Demo, DemoUser, DemoUserName } from "./demo.ts";
import type { DemoClients } from "./demo-clients.ts";

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
export async function seedPeople(clients: DemoClients): Promise<People> {
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
