import type { Id, OrganizationId } from "@cloud/rpc";
import type { ReferenceKind } from "@cloud/service";
import { selectLinkedIdsAfter } from "./assignments/assignment-sql.ts";
import { endReferences } from "./assignments/end-references.ts";
import type { Context } from "./context.ts";
import { endOrganization } from "./organizations/end-organization.ts";
import { selectLiveOrganizationIdsAfter } from "./organizations/organization-sql.ts";

/** The references that this service keeps to the records of others, for the reconciler. */
export function referencesOf({ db, identity, environment }: Context): ReferenceKind[] {
  return [
    {
      name: "workspace-team",
      page: (after, limit) => selectLinkedIdsAfter(db, "team", after, limit),
      live: async (ids) => (await identity.batchGetTeams({ ids: [...ids] })).teams.map(({ id }) => id),
      end: async (id) => (await db.withTransaction((tx) => endReferences(tx, "team", id as Id, ""))) > 0,
    },
    {
      name: "workspace-environment",
      page: (after, limit) => selectLinkedIdsAfter(db, "environment", after, limit),
      live: async (ids) => (await environment.batchGetEnvironments({ ids: [...ids] })).environments.map(({ id }) => id),
      end: async (id) => (await db.withTransaction((tx) => endReferences(tx, "environment", id as Id, ""))) > 0,
    },
    {
      name: "workspace-organization",
      page: (after, limit) => selectLiveOrganizationIdsAfter(db, after, limit),
      live: async (ids) => (await identity.batchGetOrganizations({ ids: [...ids] })).organizations.map(({ id }) => id),
      end: (id) => db.withTransaction((tx) => endOrganization(tx, id as OrganizationId, "")),
    },
  ];
}
