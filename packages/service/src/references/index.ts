export { type DeletedOrganization, type DeletionBatch, deleteOrganizationInBatches } from "./delete-organization.ts";
export { deletionBatchEffect, deletionEffect } from "./deletion-effect.ts";
export { insertOrganizationIfMissing, selectLiveOrganizationForShare } from "./organization-sql.ts";
export {
  lockOrganization,
  organizationNotFound,
  organizationReferences,
  organizationsInScope,
} from "./organizations.ts";
export type { Owner } from "./owner.ts";
export type { Pass as RepeatedPass } from "./passes.ts";
export { type LocalLinks, type Pass, type ReferenceKind, reconcile } from "./reconcile.ts";
export { selectTombstonesAfter, type Tombstone } from "./references-sql.ts";
