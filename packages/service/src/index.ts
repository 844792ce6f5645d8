export { type CommitSignals, commitSubject, noCommitSignals } from "./commit-signals.ts";
export { directSettings, directUrlOf } from "./database.ts";
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
export { type CheckCounts, checkCounts } from "./operator/reference-commands.ts";
export { type OperatorOptions, runOperator } from "./operator/run-operator.ts";
export {
  type DeletedOrganization,
  type DeletionBatch,
  deleteOrganizationInBatches,
} from "./organizations/delete-organization.ts";
export { insertOrganizationIfMissing, selectLiveOrganizationForShare } from "./organizations/organization-sql.ts";
export {
  lockOrganization,
  organizationNotFound,
  organizationReferences,
  organizationsInScope,
} from "./organizations/organizations.ts";
export { deletionBatchEffect, deletionEffect, type ReportedRecord } from "./owners/deletion-effect.ts";
export type { Owner, RecordState } from "./owners/owner.ts";
export { pageEncoder } from "./pages/page-encoder.ts";
export type { Pass as RepeatedPass } from "./reconciler/passes.ts";
export { type LocalLinks, type Pass, type ReferenceKind, reconcile } from "./reconciler/reconcile.ts";
export { type ReconcilerOptions, type ReconcilerTimes, startReconciler } from "./reconciler/start-reconciler.ts";
export { assertHasTag, changedRow, hasTag, requiredTags } from "./records/entity-tags.ts";
export {
  countOthers,
  inOrganizations,
  isAmongLinks,
  linkedRecords,
  liveCount,
  ofAll,
  searchKeys,
} from "./records/linked-records.ts";
export { liveRecords } from "./records/live-records-sql.ts";
export { endedNow, recordDeletion, writeTime } from "./records/record-deletion-sql.ts";
export { type OwnedRecords, selectTombstonesAfter, type Tombstone } from "./records/record-states-sql.ts";
export { runService } from "./run-service.ts";
export {
  type MigrationConfig,
  migrationsOf,
  type RunningService,
  rightsOf,
  type ServiceConfig,
  type ServiceParts,
  type ServiceSchema,
  type Wiring,
} from "./service-config.ts";
export { serviceConfig, serviceSettings } from "./service-settings.ts";
export { startService } from "./start-service.ts";
