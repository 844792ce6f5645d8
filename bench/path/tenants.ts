import { createDemoClients, type DemoClients } from "@cloud/local-stack";
import pg from "pg";
import type { System } from "../../test/chaos/system/start-system.ts";
import { pairsOf, type Requester } from "./contests.ts";
import { type InsertedRecords, insertRecords } from "./insert-records.ts";
import type { Pair } from "./links.ts";

/** An organization, the tokens of its users, who are Org Admins, and its records. */
export interface Tenant extends InsertedRecords {
  readonly organization: string;
  /** The organization of the same users in which workspaces are created, so that the lists of the other stay as long. */
  readonly createsIn: string;
  readonly tokens: readonly string[];
}

/** Returns the users of all tenants in turn, so that two users that follow each other have nothing in common. */
export const requestersOf = (tenants: readonly Tenant[]): Requester[] =>
  inTurn(
    tenants.map(({ organization, createsIn, tokens, workspaces }) =>
      tokens.map((token, index) => ({
        token,
        organization,
        createsIn,
        workspace: workspaces[index] as string,
      })),
    ),
  );

/** Returns the pairs of all tenants, likewise. */
export const pairsOfTenants = (tenants: readonly Tenant[]): Pair[] => inTurn(tenants.map(pairsOf));

/** Returns the first of each list, then the second of each, and so on; all have the same length. */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  return (lists[0] ?? []).flatMap((_, index) => lists.map((list) => list[index] as T));
}

const TENANTS = 16;
const USERS = 4;
const COUNTS = { workspaces: 25, teams: 25, environments: 25 };

/** Creates organizations of a few users each, so that concurrent requests are rarely equal. */
export async function seedTenants({ demo, databaseUrl }: System): Promise<Tenant[]> {
  const clients = createDemoClients(demo);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const tenants = await Promise.all(Array.from({ length: TENANTS }, (_, n) => seedTenant(clients, client, n)));
    await client.query("analyze");
    return tenants;
  } finally {
    await client.end();
  }
}

async function seedTenant(clients: DemoClients, client: pg.Client, number: number): Promise<Tenant> {
  const users: { readonly id: string; readonly token: string }[] = [];
  for (let index = 0; index < USERS; index++) {
    const email = `user-${number}-${index}@bench.example`;
    const { user } = await clients.users.createUser({ email, firstName: "User", lastName: `${number}-${index}` });
    const { secret } = await clients.tokens.createToken({ name: "bench", userId: user?.id ?? "" });
    users.push({ id: user?.id ?? "", token: secret });
  }
  const owner = users[0]?.id ?? "";
  const createOrganization = async (name: string) => {
    const described = { name, description: "One of many that the benchmark reads", owner };
    const { organization } = await clients.organizations.createOrganization(described);
    const id = organization?.id ?? "";
    for (const user of users.slice(1)) {
      await clients.organizations.setMemberRoles({ id, userId: user.id, roleNames: ["Org Admin"] });
    }
    return id;
  };
  const id = await createOrganization(`Tenant ${number}`);
  return {
    organization: id,
    createsIn: await createOrganization(`Tenant ${number}, which grows`),
    tokens: users.map(({ token }) => token),
    ...(await insertRecords(client, id, owner, COUNTS)),
  };
}
