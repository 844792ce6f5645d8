import { newId, type UserId } from "@cloud/access/values";
import type { RestCalls, RestResponse } from "../rest.ts";
import type { MatrixCaller } from "./promised-permissions.ts";

/** The fields that a caller receives of a person, or the status of an error. */
export type Seen = "name and email" | "name" | "nothing" | "401" | "404";

/** A user with the role User, in an organization and a team of it. */
export interface LookedFor {
  readonly userId: string;
  readonly email: string;
  readonly organizationId: string;
  readonly teamId: string;
}

/** A way in which a caller looks for a user. */
export interface Look {
  readonly name: string;
  readonly see: (caller: RestCalls, member: LookedFor) => Promise<Seen>;
  /** The contract's promise, section 5. Written by hand, as all that is compared. */
  readonly promised: Readonly<Record<MatrixCaller, Seen>>;
}

const NO_TOKEN = { anonymous: "401", revoked: "401" } as const;
const EMAIL = "name and email";
const NAMES = { user: "name", teamAdmin: "name", workspaceAdmin: "name" } as const;
/** An email is shown to Org Admins of an organization of the user, and to Provider Admins. */
const OF_ANOTHER = { ...NO_TOKEN, outsider: "404", ...NAMES, orgAdmin: EMAIL, providerAdmin: EMAIL } as const;

export const LOOKS: readonly Look[] = [
  {
    name: "`GET /identity/users/profile`: the caller's own",
    see: async (caller) => seenIn(await caller.get("/identity/users/profile"), (body) => body),
    promised: { ...NO_TOKEN, ...all(EMAIL) },
  },
  {
    name: "`GET /identity/users/{id}`",
    see: async (caller, { userId }) => seenIn(await caller.get(`/identity/users/${userId}`), (body) => body),
    promised: OF_ANOTHER,
  },
  {
    name: "`GET /identity/organizations/{id}/members`",
    see: async (caller, { organizationId, email }) => {
      const list = `/identity/organizations/${organizationId}/members?search=${nameOf(email)}`;
      return seenIn(await caller.get(list), ({ members }) => members[0]);
    },
    promised: OF_ANOTHER,
  },
  {
    name: "`GET /identity/teams/{id}/members`",
    see: async (caller, { teamId }) =>
      seenIn(await caller.get(`/identity/teams/${teamId}/members`), ({ members }) => members[0]),
    promised: OF_ANOTHER,
  },
  {
    name: "either list, searched for the email",
    see: async (caller, { teamId, email }) =>
      seenIn(await caller.get(`/identity/teams/${teamId}/members?search=${email}`), ({ members }) => members[0]),
    promised: { ...OF_ANOTHER, user: "nothing", teamAdmin: "nothing", workspaceAdmin: "nothing" },
  },
];

/** Creates a member of the organization, whose team has no other member. */
export async function createMember(system: RestCalls, organizationId: string): Promise<LookedFor> {
  const name = newId<UserId>();
  const email = `${name}@looked-for.example`;
  const { body: user } = await system.post("/identity/users", { email, firstName: name });
  await system.put(`/identity/organizations/${organizationId}/members/${user.id}`, { roleNames: ["User"] });
  const { body: team } = await system.post("/identity/teams", { organizationId, owner: user.id });
  await system.post(`/identity/teams/${team.id}/members/${user.id}`);
  return { userId: user.id, email, organizationId, teamId: team.id };
}

const nameOf = (email: string) => email.slice(0, email.indexOf("@"));

function seenIn({ status, body }: RestResponse, find: (body: RestResponse["body"]) => RestResponse["body"]): Seen {
  if (status !== 200) return String(status) as Seen;
  const person = find(body);
  if (person === undefined) return "nothing";
  return person.email === "" ? "name" : EMAIL;
}

function all(seen: Seen) {
  return { outsider: seen, user: seen, teamAdmin: seen, workspaceAdmin: seen, orgAdmin: seen, providerAdmin: seen };
}
