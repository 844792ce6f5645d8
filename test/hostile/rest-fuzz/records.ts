import type { Demo } from "@cloud/local-stack";
import type { Random } from "@cloud/testkit/figures";
import { restClients } from "../../e2e/rest.ts";

/** Ids of records that exist, by the segment before them in a path. */
export interface Records {
  readonly organizationId: string;
  /** Returns the id of a record of the kind; of any kind if that is unknown. */
  pick(random: Random, segment: string): string;
  /** Returns the id of a record of the kind, the first by default. @throws Error for an unknown one */
  get(segment: string, index?: number): string;
}

const COUNT = 3;

/** Creates records of every kind in an organization of their own, by REST as its Org Admin. */
export async function createRecords(demo: Demo, orgAdmin: "orgAdmin" | "outsider" = "orgAdmin"): Promise<Records> {
  const admin = restClients(demo)[orgAdmin];
  const { providerAdmin } = demo.users;
  const create = async (path: string, body: object) => {
    const response = await admin.post(path, body);
    if (response.status !== 201) throw new Error(path + ": " + response.status + " " + JSON.stringify(response.body));
    return String(response.body.id ?? response.body.token.id);
  };
  const organizations = [
    await create("/identity/organizations", { name: "Attacked" }),
    await create("/identity/organizations", { name: "Deleted" }),
  ];
  const [organizationId = "", spare = ""] = organizations;
  const several = (path: string, body: object = { organizationId, name: "Attacked" }) =>
    Promise.all(Array.from({ length: COUNT }, () => create(path, body)));
  const invited = [{ email: "one@attacked.example" }, { email: "two@attacked.example" }, { userId: providerAdmin.id }];
  const invitations = invited.map((invitee) =>
    create("/identity/organizations/" + organizationId + "/invitations", { ...invitee, roleNames: ["User"] }),
  );
  const invitationIds = await Promise.all(invitations);
  const designs = await several("/designs");
  const users = Object.values(demo.users).map(({ id }) => id);
  const pools: Readonly<Record<string, readonly string[]>> = {
    workspaces: await several("/workspaces"),
    environments: await several("/environments"),
    designs,
    patterns: designs,
    views: await several("/views"),
    connections: await several("/connections"),
    credentials: await several("/credentials"),
    teams: await several("/identity/teams"),
    tokens: await several("/identity/tokens", { name: "Attacked" }),
    curricula: await several("/academy/curricula", { organizationId, title: "Attacked" }),
    invitations: invitationIds,
    invite: invitationIds,
    organizations: [spare],
    orgs: [spare],
    users,
    profile: users,
    members: users,
  };
  return {
    organizationId,
    get: (segment, index = 0) => {
      const id = pools[segment]?.[index];
      if (id === undefined) throw new Error("no record of " + segment + ": add it to records.ts");
      return id;
    },
    pick: (random, segment) => random.pick((pools[segment] ?? Object.values(pools).flat()) as [string, ...string[]]),
  };
}
