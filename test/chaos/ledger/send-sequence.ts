import type { Random } from "@cloud/testkit/figures";
import type { Bookkeeper } from "./bookkeeper.ts";
import type { LedgerRecord, LinkKind } from "./ledger.ts";

/** A client of a run: its actions are recorded in the ledger, and concern its own records only. */
export interface LedgerClient {
  readonly books: Bookkeeper;
  readonly random: Random;
  readonly organization: string;
  /** The two permanent workspaces of the organization. */
  readonly homes: readonly [LedgerRecord, LedgerRecord];
}

/** Sends a realistic sequence of requests. Returns false if one of them was not confirmed: the sequence ends there. */
export async function sendSequence(client: LedgerClient): Promise<boolean> {
  const choice = client.random.between(1, 100);
  if (choice <= 35) return await useResource(client, "environment");
  if (choice <= 65) return await useResource(client, "team");
  if (choice <= 95) return await useWorkspace(client);
  return await useOrganization(client);
}

/** Created, linked to both homes, perhaps removed from one, usually deleted. */
async function useResource({ books, random, organization, homes }: LedgerClient, kind: LinkKind): Promise<boolean> {
  const resource = await books.create(kind, organization);
  if (resource === undefined) return false;
  for (const home of homes) {
    if (!(await books.assign(home, resource))) return false;
  }
  if (random.chance(30) && !(await books.unassign(homes[0], resource))) return false;
  return !random.chance(80) || (await books.delete(resource));
}

/** Created, linked and selected; deleted, and sometimes the linked records afterwards. */
async function useWorkspace({ books, random, organization }: LedgerClient): Promise<boolean> {
  const workspace = await books.create("workspace", organization);
  const environment = await books.create("environment", organization);
  if (workspace === undefined || environment === undefined) return false;
  if (!(await books.assign(workspace, environment))) return false;
  if (!(await books.select(workspace))) return false;
  if (!(await books.delete(workspace))) return false;
  return !random.chance(30) || (await books.delete(environment));
}

/** Created with its records; half of them are deleted with it. */
async function useOrganization({ books, random }: LedgerClient): Promise<boolean> {
  const organization = await books.create("organization", "");
  if (organization === undefined) return false;
  const workspace = await books.create("workspace", organization.id);
  const environment = await books.create("environment", organization.id);
  if (workspace === undefined || environment === undefined) return false;
  if (!(await books.assign(workspace, environment))) return false;
  return !random.chance(50) || (await books.delete(organization));
}
