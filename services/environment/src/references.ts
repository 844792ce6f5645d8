import type { OrganizationId } from "@cloud/rpc";
import type { ReferenceKind } from "@cloud/service";
import { endOrganization } from "./consumers/organization-deleted.ts";
import type { Context } from "./context.ts";
import { selectLiveOrganizationIdsAfter } from "./organizations/organization-sql.ts";

/** The references that this service keeps to the records of others, for the reconciler. */
export function referencesOf({ db, organizations }: Context): ReferenceKind[] {
  return [
    {
      name: "environment-organization",
      page: (after, limit) => selectLiveOrganizationIdsAfter(db, after, limit),
      live: (ids) => organizations.liveAmong(ids),
      end: (id) => db.withTransaction((tx) => endOrganization(tx, id as OrganizationId, "")),
    },
  ];
}
