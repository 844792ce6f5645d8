export { assertHasTag, changedRow, hasTag, requiredTags } from "./entity-tags.ts";
export {
  countOthers,
  inOrganizations,
  isAmongLinks,
  linkedRecords,
  liveCount,
  searchKeys,
  USE_ALL_ORGANIZATIONS_INDEX,
} from "./linked-records.ts";
export { liveRecords, type RecordRow, shareReads } from "./live-records-sql.ts";
export { logReads } from "./log-reads-sql.ts";
export { pageEncoder } from "./page-encoder.ts";
export { cursorAfter, type LogPosition, parseLogPosition, readLog } from "./read-log.ts";
export { recordToProto } from "./record-to-proto.ts";
export { endedNow, softDeletes, writeTime } from "./soft-deletes-sql.ts";
