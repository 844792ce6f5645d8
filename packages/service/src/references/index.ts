export { type DeletedOrganization, type DeletionBatch, deleteOrganizationInBatches } from "./delete-organization.ts";
export { deletionBatchEffect, deletionEffect } from "./deletion-effect.ts";
export { insertOrganizationIfMissing, selectLiveOrganizationForShare } from "./organization-sql.ts";
export {
  lockOrganization,
  organizationNotFound,
  organizationReferences,
  organizationsInScope,
  requireNamedOrganization,
} from "./organizations.ts";
export type { RecordAuthority } from "./owner.ts";
export type { PeriodicJob } from "./periodic-jobs.ts";
export { type ReconcileResult, type ReferenceSet, reconcile } from "./reconcile.ts";
export { selectTombstonesAfter, type Tombstone } from "./references-sql.ts";
