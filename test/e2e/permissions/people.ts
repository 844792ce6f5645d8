import type { OwnTestStack } from "@cloud/local-stack/test-stack";
import { type RestCalls, restClients } from "../rest.ts";
import type { Caller } from "./promised-outcomes.ts";

/** A caller. Without a token by REST there is none by RPC, either. */
export interface Person {
  readonly tokens: { readonly rest: string | undefined; readonly rpc: string | undefined };
  /** Undefined for a caller that is no user. */
  readonly userId?: string;
  /** The roles in the organization of the records. */
  readonly roleNames: readonly string[];
}

/**
 * Creates the callers. The records that they try belong to the first organization of the demo; roles in the second must
 * not matter there, but that of a Provider Admin.
 */
export async function createPeople(stack: OwnTestStack, system: RestCalls): Promise<Record<Caller, Person>> {
  const { demo, credentials, serviceToken } = stack;
  const [first = "", second = ""] = demo.organizations.map(({ id }) => id);
  const { user, teamAdmin, workspaceAdmin, orgAdmin, outsider } = demo.users;
  const setRoles = async (organization: string, userId: string, ...roleNames: string[]) => {
    const path = "/identity/organizations/" + organization + "/members/" + userId;
    const { status, body } = await system.put(path, { roleNames });
    if (status !== 200) throw new Error("cannot set roles: " + JSON.stringify(body));
  };
  const newPerson = async (name: string) => {
    const { body } = await system.post("/identity/users", { email: name + "@matrix.example" });
    const { body: token } = await system.post("/identity/tokens", { userId: body.id });
    return { id: body.id as string, token: token.secret as string };
  };
  const [twoRoles, providerAdmin] = await Promise.all([newPerson("two-roles"), newPerson("provider-admin")]);
  await setRoles(second, user.id, "Workspace Admin");
  await setRoles(second, workspaceAdmin.id, "User");
  await setRoles(second, providerAdmin.id, "Provider Admin");
  await setRoles(first, twoRoles.id, "User", "Workspace Admin");

  // The token of an Org Admin, whom every operation would otherwise accept.
  const { body: revoked } = await restClients(demo).orgAdmin.post("/identity/tokens", { name: "to be revoked" });
  await restClients(demo).orgAdmin.delete("/identity/tokens/" + revoked.token.id);

  const person = ({ id, token }: { id: string; token: string }, ...roleNames: string[]): Person => ({
    tokens: { rest: token, rpc: token },
    userId: id,
    roleNames,
  });
  const stranger = (rest?: string, rpc = rest): Person => ({ tokens: { rest, rpc }, roleNames: [] });
  const keyed = person(user, "User");
  return {
    anonymous: stranger(),
    revoked: stranger(revoked.secret, "not-a-token"),
    outsider: person(outsider),
    user: keyed,
    teamAdmin: person(teamAdmin, "Team Admin"),
    workspaceAdmin: person(workspaceAdmin, "Workspace Admin"),
    orgAdmin: person(orgAdmin, "Org Admin"),
    providerAdmin: person(providerAdmin),
    twoRoles: person(twoRoles, "User", "Workspace Admin"),
    workspace: stranger(credentials.workspace),
    environment: stranger(credentials.environment),
    identity: stranger(credentials.identity),
    operator: stranger(serviceToken),
    allOtherKeys: keyed,
    oneKey: keyed,
    owner: keyed,
  };
}
