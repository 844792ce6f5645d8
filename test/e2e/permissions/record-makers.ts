import { newId, type UserId } from "@cloud/access/values";
import type { Demo } from "@cloud/local-stack";
import type { RestCalls } from "../rest.ts";
import type { MethodRequest } from "./promised-methods.ts";

type Make = () => Promise<string>;

/** Fills the `$names` of a request with new records, created as the operator. */
export function createRequestFiller(system: RestCalls, demo: Demo): (request: MethodRequest) => Promise<MethodRequest> {
  const makers = makersFor(system, demo);
  const fill = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return await Promise.all(value.map(fill));
    if (typeof value !== "string" || !value.startsWith("$")) return value;
    const make = makers[value.slice(1)];
    if (make === undefined) throw new Error("no maker of " + value + ": add it to record-makers.ts");
    return await make();
  };
  return async (request) =>
    Object.fromEntries(
      await Promise.all(Object.entries(request).map(async ([key, value]) => [key, await fill(value)])),
    );
}

function makersFor(system: RestCalls, demo: Demo): Readonly<Record<string, Make>> {
  const organizationId = demo.organizations[0]?.id ?? "";
  const user = demo.users.user.id;
  const make = async (path: string, body: object): Promise<{ id: string; secret?: string; token?: { id: string } }> => {
    const response = await system.post(path, body);
    if (response.status !== 201) throw new Error("cannot make " + path + ": " + JSON.stringify(response.body));
    return response.body;
  };
  const inOrganization = (path: string, owner: string = demo.users.orgAdmin.id) => {
    return async () => (await make(path, { organizationId, owner, name: "Made" })).id;
  };
  const invite = (id: string, invitee: object) =>
    make("/identity/organizations/" + id + "/invitations", { ...invitee, roleNames: ["User"] });
  const constant = (value: string) => async () => value;
  return {
    organization: constant(organizationId),
    user: constant(user),
    secret: constant(demo.users.user.token),
    email: async () => newId<UserId>() + "@example.test",
    workspace: inOrganization("/workspaces"),
    environment: inOrganization("/environments"),
    team: inOrganization("/identity/teams"),
    design: inOrganization("/designs"),
    ownDesign: inOrganization("/designs", user),
    view: inOrganization("/views"),
    ownView: inOrganization("/views", user),
    connection: inOrganization("/connections"),
    credential: inOrganization("/credentials"),
    person: async () => (await make("/identity/users", { email: newId<UserId>() + "@example.test" })).id,
    curriculum: async () => (await make("/academy/curricula", { organizationId, title: "Made" })).id,
    token: async () => (await make("/identity/tokens", { name: "Made", userId: user })).token?.id ?? "",
    invitation: async () => (await invite(organizationId, { email: newId<UserId>() + "@example.test" })).id,
    ownInvitation: async () => {
      const { id } = await make("/identity/organizations", { name: "Made", owner: demo.users.orgAdmin.id });
      return (await invite(id, { userId: user })).id;
    },
    freshOrganization: async () => {
      const { id } = await make("/identity/organizations", { name: "Made", owner: demo.users.orgAdmin.id });
      await system.put("/identity/organizations/" + id + "/members/" + user, { roleNames: ["User"] });
      return id;
    },
  };
}
