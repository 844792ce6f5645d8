export { type CommitSignals, commitSubject, noCommitSignals } from "./commit-signals.ts";
export { hasTag } from "./conditions/has-tag-sql.ts";
export { assertHasTag, changedRow, requiredTags } from "./conditions/required-tags.ts";
export { directSettings, directUrlOf } from "./database-settings.ts";
export type { CallContext } from "./handlers/bind-handlers.ts";
export {
  bindHandlers,
  bindStreams,
  type Handler,
  type StreamContext,
  type StreamHandler,
} from "./handlers/bind-handlers.ts";
export { DEFAULT_HEAVY_READS } from "./heavy-reads.ts";
export { createOnce } from "./idempotency/create-once.ts";
export { followedLines } from "./logs/followed-lines-sql.ts";
export { cursorAfter, type LogLine, type LogPosition, parseLogPosition, readLog } from "./logs/read-log.ts";
export { type CheckCounts, checkCounts } from "./operator/check-counts.ts";
export { type OperatorOptions, runOperator } from "./operator/run-operator.ts";
export {
  type DeletedOrganization,
  type DeletionBatch,
  deleteOrganizationInBatches,
} from "./organizations/delete-organization.ts";
export { lockOrganization, organizationNotFound } from "./organizations/lock-organization.ts";
export { organizationReferences } from "./organizations/organization-references.ts";
export {
  insertOrganizationIfMissing,
  selectLiveOrganizationForShare,
} from "./organizations/organization-sql.ts";
export { organizationsInScope } from "./organizations/organizations-in-scope.ts";
export { deletionBatchEffect, deletionEffect, type ReportedRecord } from "./owners/deletion-effect.ts";
export type { Owner, RecordState } from "./owners/owner.ts";
export { pageEncoder } from "./pages/page-encoder.ts";
export type { LocalLinks } from "./reconciler/local-links.ts";
export type { Pass as RepeatedPass } from "./reconciler/passes.ts";
export type { ReferenceKind, Tombstone } from "./reconciler/reconcile.ts";
export { type Pass, reconcile } from "./reconciler/reconcile.ts";
export { type ReconcilerOptions, type ReconcilerTimes, startReconciler } from "./reconciler/start-reconciler.ts";
export { selectTombstonesAfter } from "./reconciler/tombstone-sql.ts";
export { inOrganizations, ofAll } from "./records/in-organizations.ts";
export { isAmongLinks, linkedRecords } from "./records/linked-records.ts";
export { countOthers, liveCount, searchKeys } from "./records/live-counts.ts";
export { liveRecords } from "./records/live-records-sql.ts";
export { recordDeletion } from "./records/record-deletion-sql.ts";
export type { OwnedRecords } from "./records/record-states-sql.ts";
export { endedNow, writeTime } from "./records/write-time.ts";
export { runService } from "./run-service.ts";
export type { MigrationConfig, RunningService, ServiceConfig } from "./service-config.ts";
export type { ServiceParts, Wiring } from "./service-parts.ts";
export { migrationsOf, rightsOf, type ServiceSchema } from "./service-schema.ts";
export { serviceConfig, serviceSettings } from "./service-settings.ts";
export { startService } from "./start-service.ts";
