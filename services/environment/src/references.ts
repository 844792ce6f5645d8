import type { Database } from "@cloud/postgres";
import { type Owner, organizationReferences, type ReferenceKind } from "@cloud/service";
import { nextDeletion } from "./consumers/delete-organization.ts";
import { restoreNextOfOrganization as restoreNext } from "./consumers/restore-organization.ts";

export interface Owners {
  readonly identity: Owner;
}

/** Returns the kinds of references that this service keeps to records of other services, for the reconciler. */
export function referencesOf(db: Database, { identity }: Owners): ReferenceKind[] {
  return [organizationReferences(db, { name: "environment-organization", identity, nextDeletion, restoreNext })];
}
