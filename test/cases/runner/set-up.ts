import { randomUUID } from "node:crypto";
import type { Given, Mapping } from "./case-file.ts";
import { fillIn } from "./fill-in.ts";
import { CREATIONS, DELETIONS, GIVEN_OPTIONS, LINKS } from "./givens.ts";
import { idOf, type Play } from "./player.ts";

/** Runs one step of `given`, as the system unless the step has `as`, and stores what it created. */
export async function setUp(play: Play, step: Given): Promise<void> {
  const filled = { ...step, value: fillIn(step.value, play.variables), options: fillIn(step.options, play.variables) };
  const steps: Readonly<Record<string, (play: Play, step: Given) => Promise<void>>> = {
    user: createUser,
    myWorkspace: nameMyWorkspace,
    assign: link,
    remove: link,
    delete: remove,
    call,
  };
  await (steps[step.kind] ?? create)(play, filled);
}

const actorOf = (play: Play, { options }: Given) => play.headersAs(String(options["as"] ?? "service"));

async function create(play: Play, step: Given): Promise<void> {
  const { in: place = "first", as: _actor, owner = "orgAdmin", members, ...fields } = step.options;
  const rpc = CREATIONS[step.kind];
  if (rpc === undefined) throw new Error(`nothing creates a ${step.kind}`);
  const options = GIVEN_OPTIONS[step.kind] ?? [];
  const request = {
    name: String(step.value),
    ...fields,
    ...(options.includes("in") ? { organizationId: idOf(play, place) } : {}),
    ...(options.includes("owner") ? { owner: idOf(play, owner) } : {}),
  };
  const id = remember(play, String(step.value), await play.must(rpc, request, actorOf(play, step)));
  if (step.kind === "team") await addTeamMembers(play, id, (members ?? []) as readonly string[]);
  if (step.kind === "organization") await setRoles(play, id, (members ?? {}) as Mapping);
}

async function addTeamMembers(play: Play, id: string, members: readonly string[]): Promise<void> {
  for (const member of members) {
    const userId = idOf(play, member);
    await play.must("identity.v1.TeamService/AddTeamMember", { id, userId }, play.headersAs("service"));
  }
}

/** `members` of an organization: a role, or a list of roles, for each user. */
async function setRoles(play: Play, id: string, members: Mapping): Promise<void> {
  for (const [member, roles] of Object.entries(members)) {
    const request = { id, userId: idOf(play, member), roleNames: [roles].flat() };
    await play.must("identity.v1.OrganizationService/SetMemberRoles", request, play.headersAs("service"));
  }
}

async function createUser(play: Play, { value, options }: Given): Promise<void> {
  const system = play.headersAs("service");
  const [name, email] = [String(value), `${randomUUID()}@cases.example`];
  const user = await play.must("identity.v1.UserService/CreateUser", { email, firstName: name }, system);
  const userId = idIn(user);
  const { secret } = await play.must("identity.v1.TokenService/CreateToken", { name, userId }, system);
  play.variables.set(name, userId);
  play.tokens.set(name, String(secret));
  const { in: place, roles = ["User"] } = options;
  if (place !== undefined) await setRoles(play, idOf(play, place), { [name]: roles });
}

async function nameMyWorkspace(play: Play, { value, options }: Given): Promise<void> {
  const request = { orgId: idOf(play, options["in"] ?? "first"), search: "My Workspace" };
  const list = await play.must("workspace.v1.WorkspaceService/ListWorkspaces", request, play.headersAs("service"));
  play.variables.set(String(value), idIn((list["workspaces"] as readonly Mapping[])[0] ?? {}));
}

/** `assign: { team: t, to: w }` and `remove: { team: t, from: w }`. */
async function link(play: Play, step: Given): Promise<void> {
  const { to, from, ...linked } = step.value as Mapping;
  const [kind = "", name] = Object.entries(linked)[0] ?? [];
  const verb = step.kind === "assign" ? "Assign" : "Remove";
  const rpc = linkOf(kind).replace("*", verb);
  await play.must(rpc, { id: idOf(play, to ?? from), [`${kind}Id`]: idOf(play, name) }, actorOf(play, step));
}

function linkOf(kind: string): string {
  const rpc = LINKS[kind];
  if (rpc === undefined) throw new Error(`"${kind}" cannot be linked; ${Object.keys(LINKS).join(", ")} can`);
  return rpc;
}

async function remove(play: Play, step: Given): Promise<void> {
  const [kind = "", name] = Object.entries(step.value as Mapping)[0] ?? [];
  const rpc = DELETIONS[kind];
  if (rpc === undefined) throw new Error(`"${kind}" cannot be deleted; ${Object.keys(DELETIONS).join(", ")} can`);
  await play.must(rpc, { id: idOf(play, name) }, actorOf(play, step));
}

async function call(play: Play, step: Given): Promise<void> {
  const { request = {}, headers = {}, makes } = step.options;
  const sent = { ...actorOf(play, step), ...(headers as Record<string, string>) };
  const reply = await play.must(String(step.value), request as Mapping, sent);
  if (makes !== undefined) remember(play, String(makes), reply);
}

/** Stores the id of a record under its name, and its entity tag. Returns the id. */
function remember(play: Play, name: string, reply: Mapping): string {
  const id = idIn(reply);
  play.variables.set(name, id);
  play.variables.set(`${name}Etag`, String(recordIn(reply)?.["etag"] ?? ""));
  return id;
}

function idIn(reply: Mapping): string {
  const id = recordIn(reply)?.["id"];
  if (typeof id !== "string") throw new Error(`no id in ${JSON.stringify(reply)}`);
  return id;
}

/** Returns the record in a reply, which not every RPC unwraps. */
function recordIn(reply: Mapping): Mapping | undefined {
  return "id" in reply ? reply : (Object.values(reply)[0] as Mapping | undefined);
}
