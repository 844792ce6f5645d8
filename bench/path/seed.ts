import { randomBytes } from "node:crypto";
import pg from "pg";
import type { System } from "../../test/chaos/system/start-system.ts";
import { restFor } from "../../test/e2e/rest.ts";
import type { Requester } from "./contests.ts";
import { insertRecords } from "./insert-records.ts";

/** The records that the requests of the path name. */
export interface Records {
  /** The tokens of one user, who is an Org Admin in both organizations. */
  readonly tokens: readonly string[];
  /**
   * The organization of the workspaces, teams and environments. The first workspaces are linked to all environments.
   */
  readonly organization: string;
  /** The organization in which workspaces are created. */
  readonly other: string;
  readonly workspaces: readonly string[];
  readonly teams: readonly string[];
}

const TOKENS = 64;
const COUNTS = { workspaces: 100, teams: 100, environments: 25 };

export async function seedRecords({ demo, databaseUrl }: System): Promise<Records> {
  const [{ id: organization } = { id: "" }, { id: other } = { id: "" }] = demo.organizations;
  const { orgAdmin, providerAdmin } = demo.users;
  const member = `/identity/organizations/${other}/members/${orgAdmin.id}`;
  await restFor(demo, providerAdmin.token).put(member, { roleNames: ["Org Admin"] });
  const rest = restFor(demo, orgAdmin.token);
  const tokens: string[] = [];
  for (let index = 0; index < TOKENS; index++) {
    const { body } = await rest.post("/identity/tokens", { name: `bench-${randomBytes(4).toString("hex")}` });
    tokens.push(body.secret);
  }
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const inserted = await insertRecords(client, organization, orgAdmin.id, COUNTS);
  await client.query("analyze");
  await client.end();
  return { tokens, organization, other, ...inserted };
}

/** Returns one requester for each token. */
export const requestersOf = ({ tokens, organization, other, workspaces }: Records): Requester[] =>
  tokens.map((token, index) => ({
    token,
    organization,
    createsIn: other,
    workspace: workspaces[index % workspaces.length] as string,
  }));
