import type { Random } from "@cloud/testkit/figures";
import type { Bookkeeper } from "./bookkeeper.ts";
import type { LedgerRecord, LinkKind } from "./ledger.ts";

/** A client of a run: its actions are recorded in the ledger, and concern its own records only. */
export interface Person {
  readonly books: Bookkeeper;
  readonly random: Random;
  readonly organization: string;
  /** The two permanent workspaces of the organization. */
  readonly homes: readonly [LedgerRecord, LedgerRecord];
}

/** Sends a realistic sequence of requests. Returns false if one of them was not confirmed: the sequence ends there. */
export async function liveOnce(person: Person): Promise<boolean> {
  const choice = person.random.between(1, 100);
  if (choice <= 35) return await lifeOfResource(person, "environment");
  if (choice <= 65) return await lifeOfResource(person, "team");
  if (choice <= 95) return await lifeOfWorkspace(person);
  return await lifeOfOrganization(person);
}

/** Created, linked to both homes, perhaps removed from one, usually deleted. */
async function lifeOfResource({ books, random, organization, homes }: Person, kind: LinkKind): Promise<boolean> {
  const resource = await books.create(kind, organization);
  if (resource === undefined) return false;
  for (const home of homes) {
    if (!(await books.assign(home, resource))) return false;
  }
  if (random.chance(30) && !(await books.unassign(homes[0], resource))) return false;
  return !random.chance(80) || (await books.delete(resource));
}

/** Created, linked and selected; deleted, and sometimes the linked records afterwards. */
async function lifeOfWorkspace({ books, random, organization }: Person): Promise<boolean> {
  const workspace = await books.create("workspace", organization);
  const environment = await books.create("environment", organization);
  if (workspace === undefined || environment === undefined) return false;
  if (!(await books.assign(workspace, environment))) return false;
  if (!(await books.select(workspace))) return false;
  if (!(await books.delete(workspace))) return false;
  return !random.chance(30) || (await books.delete(environment));
}

/** Created with its records; half of them are deleted with it. */
async function lifeOfOrganization({ books, random }: Person): Promise<boolean> {
  const organization = await books.create("organization", "");
  if (organization === undefined) return false;
  const workspace = await books.create("workspace", organization.id);
  const environment = await books.create("environment", organization.id);
  if (workspace === undefined || environment === undefined) return false;
  if (!(await books.assign(workspace, environment))) return false;
  return !random.chance(50) || (await books.delete(organization));
}
