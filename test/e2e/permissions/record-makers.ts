import { newId, type UserId } from "@cloud/access/values";
import type { Demo } from "@cloud/local-stack";
import type { RestCalls } from "../rest.ts";
import type { Person } from "./people.ts";
import type { MethodRequest } from "./promised-methods.ts";

type Subject = Pick<Person, "userId" | "roleNames">;
type Make = (subject: Required<Subject>) => string | Promise<string>;

/** Fills the `$names` of a request with new records, made by the operator. The user of the demo owns what no caller can. */
export type FillRequest = (request: MethodRequest, caller?: Subject) => Promise<MethodRequest>;

export function createRequestFiller(system: RestCalls, demo: Demo): FillRequest {
  const makers = makersFor(system, demo);
  return async (request, { userId = demo.users.user.id, roleNames } = { roleNames: ["User"] }) => {
    const fill = async (value: unknown): Promise<unknown> => {
      if (Array.isArray(value)) return await Promise.all(value.map(fill));
      if (typeof value !== "string" || !value.startsWith("$")) return value;
      const make = makers[value.slice(1)];
      if (make === undefined) throw new Error("no maker of " + value + ": add it to record-makers.ts");
      return await make({ userId, roleNames });
    };
    const filled = Object.entries(request).map(async ([key, value]) => [key, await fill(value)] as const);
    return Object.fromEntries(await Promise.all(filled));
  };
}

function makersFor(system: RestCalls, demo: Demo): Readonly<Record<string, Make>> {
  const organizationId = demo.organizations[0]?.id ?? "";
  const { user, orgAdmin, outsider } = demo.users;
  const make = async (path: string, body: object): Promise<{ id: string; token?: { id: string } }> => {
    const response = await system.post(path, body);
    if (response.status !== 201) throw new Error("cannot make " + path + ": " + JSON.stringify(response.body));
    return response.body;
  };
  const record = async (path: string, owner = orgAdmin.id) =>
    (await make(path, { organizationId, owner, name: "Made" })).id;
  const organization = async (owner = orgAdmin.id) =>
    (await make("/identity/organizations", { name: "Made", owner })).id;
  const newEmail = () => newId<UserId>() + "@example.test";
  const person = async (email = newEmail(), firstName = "") => (await make("/identity/users", { email, firstName })).id;
  const setRoles = (id: string, userId: string, roleNames: readonly string[]) =>
    system.put("/identity/organizations/" + id + "/members/" + userId, { roleNames });
  const member = async (...fields: string[]) => {
    const id = await person(...fields);
    await setRoles(organizationId, id, ["User"]);
    return id;
  };
  const lookedFor = { name: newId<UserId>(), email: newEmail() };
  let team: Promise<string> | undefined;
  const makeLookedFor = async () => {
    const id = await member(lookedFor.email, lookedFor.name);
    const made = await record("/identity/teams", id);
    await system.post("/identity/teams/" + made + "/members/" + id);
    return made;
  };
  const memberTeam = () => (team ??= makeLookedFor());
  const invite = async (id: string, invitee: object) =>
    (await make("/identity/organizations/" + id + "/invitations", { ...invitee, roleNames: ["User"] })).id;
  return {
    organization: () => organizationId,
    caller: ({ userId }) => userId,
    secret: () => user.token,
    email: newEmail,
    person: () => person(),
    member: () => member(),
    // A member who is looked for, and a team that has no other.
    memberTeam,
    memberName: async () => (await memberTeam()) && lookedFor.name,
    memberEmail: async () => (await memberTeam()) && lookedFor.email,
    workspace: () => record("/workspaces"),
    environment: () => record("/environments"),
    team: () => record("/identity/teams"),
    design: () => record("/designs"),
    ownDesign: ({ userId }) => record("/designs", userId),
    view: () => record("/views"),
    ownView: ({ userId }) => record("/views", userId),
    connection: () => record("/connections"),
    credential: () => record("/credentials"),
    curriculum: async () => (await make("/academy/curricula", { organizationId, title: "Made" })).id,
    ownToken: async ({ userId }) => (await make("/identity/tokens", { name: "Made", userId })).token?.id ?? "",
    invitation: () => invite(organizationId, { email: newEmail() }),
    ownInvitation: async ({ userId }) =>
      invite(await organization(userId === orgAdmin.id ? outsider.id : orgAdmin.id), { userId }),
    freshOrganization: async ({ userId, roleNames }) => {
      const id = await organization();
      if (roleNames.length > 0) await setRoles(id, userId, roleNames);
      return id;
    },
  };
}
