import type { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";

/**
 * The tables of records that other services reference. Their rows are deleted softly, so that their deletion stays
 * known.
 */
export type OwnedTable = "organizations" | "teams" | "environments" | "workspaces";

/** The kinds of record that a service owns, with their tables. */
export type OwnedRecords = Readonly<Partial<Record<RecordKind, OwnedTable>>>;
