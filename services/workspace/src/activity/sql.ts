import type { JsonObject } from "@bufbuild/protobuf";
import type { ListParameters } from "@cloud/access/lists";
import { type Id, newId, type OrganizationId, type WorkspaceId } from "@cloud/access/values";
import { type BoundStatement, type Database, type Reader, sql, statement, type Tx } from "@cloud/postgres";
import { selectPage } from "@cloud/postgres/lists";
import { liveCount } from "@cloud/service/records";

export type Action = "create" | "update" | "delete" | "assign" | "unassign";
type Severity = "success" | "error";

/** A line of the activity log, before it is inserted. */
export interface Activity {
  readonly workspaceId: WorkspaceId;
  readonly organizationId: OrganizationId;
  /** The user who acted; empty for the system. */
  readonly owner: string;
  readonly action: Action;
  readonly severity: Severity;
  readonly description: string;
  readonly actedUpon: string;
  readonly actedUponKind: string;
  readonly metadata: JsonObject;
}

export interface ActivityRow {
  id: string;
  workspace_id: WorkspaceId;
  organization_id: OrganizationId;
  owner: string;
  action: Action;
  severity: Severity;
  description: string;
  acted_upon: string;
  acted_upon_kind: string;
  metadata: JsonObject;
  created_at: Date;
}

/** The columns of `ActivityRow`. */
export const activityColumns = sql`
  id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, metadata,
  created_at`;

// clock_timestamp rather than now, so that the events of one transaction keep their order.
const insertNow = statement`
  insert into activity_events (${activityColumns})
  select *, clock_timestamp()
  from unnest(
    $1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::jsonb[]
  )`;

/** Inserts a line by itself. */
export async function insertActivity(db: Pick<Database, "transaction">, activity: Activity): Promise<void> {
  await db.transaction((tx) => tx.query(insertNow, valuesOf([activity])));
}

/** Appends a line in the transaction of the change it describes. */
export function appendActivity(tx: Tx, activity: Activity): void {
  appendActivities(tx, [activity]);
}

/** Appends lines in the transaction of the changes they describe. */
export function appendActivities(tx: Tx, activities: readonly Activity[]): void {
  tx.atCommit(...insertionOf(activities));
}

/** Returns the statement of `appendActivities`, if there are lines. */
export const insertionOf = (activities: readonly Activity[]): BoundStatement[] =>
  activities.length === 0 ? [] : [{ statement: insertNow, params: valuesOf(activities) }];

function valuesOf(activities: readonly Activity[]) {
  const lines = activities.map(truncateActivity); // protects: bound-activity
  const column = <T>(value: (activity: Activity) => T) => lines.map(value);
  return [
    column(() => newId<Id>()),
    column((activity) => activity.workspaceId),
    column((activity) => activity.organizationId),
    column((activity) => activity.owner),
    column((activity) => activity.action),
    column((activity) => activity.severity),
    column((activity) => activity.description),
    column((activity) => activity.actedUpon),
    column((activity) => activity.actedUponKind),
    column((activity) => JSON.stringify(activity.metadata)),
  ];
}

/** Returns a page of a workspace's log. */
export async function selectActivities(db: Reader, workspaceId: WorkspaceId, query: ListParameters) {
  return selectPage<ActivityRow & { readonly snapshot: string }>(db, {
    // A line is never updated, so both orders by date are the same.
    columns: sql`${activityColumns}, created_at as updated_at, pg_current_snapshot()::text as snapshot`,
    from: sql`activity_events`,
    where: sql`workspace_id = $1`,
    params: [workspaceId],
    count: liveCount(sql`list = 'activity_events'`, sql`= $1`),
    searchColumns: [sql`description`],
    // The descriptions are the sentences of `describe-activity.ts` and the errors of the catalogue.
    searchBy: { fewTexts: sql`description` },
    ...query,
    order: { ...query.order, column: "created_at" },
  });
}

/** The part of a workspace that its log refers to. */
export interface LoggedWorkspace {
  readonly id: WorkspaceId;
  readonly organization_id: OrganizationId;
}

// The partial index activity_events_by_deleted_resource has the same condition on `reason`. The tombstone's time is
// the start of its transaction, truncated to milliseconds; the lines of the same transaction are later.
const workspacesUnlinkedAt = statement<LoggedWorkspace>`
  select distinct workspace_id as id, organization_id
  from activity_events
  where acted_upon = $1 and metadata->>'reason' = 'deleted' and created_at >= $2::timestamptz - interval '1 second'
  order by workspace_id`;

/**
 * Returns the workspaces that were unlinked because the resource counted as deleted, from one second before `deletedAt`
 * on.
 */
export async function selectWorkspacesUnlinkedAt(tx: Tx, resourceId: Id, deletedAt: Date): Promise<LoggedWorkspace[]> {
  return (await tx.query(workspacesUnlinkedAt, [resourceId, deletedAt])).rows;
}

/**
 * Bounds a line of the log: with all fields at their limits it stays below the 1 KiB that the table accepts. A caller
 * may send ids of 1.5 MB, or with U+0000, which Postgres refuses; neither may fill the log or lose a line.
 */
export function truncateActivity(activity: Activity): Activity {
  const { error } = activity.metadata;
  return {
    ...activity,
    owner: cutId(activity.owner),
    actedUpon: cutId(activity.actedUpon),
    description: cutText(activity.description, MAX_TEXT_BYTES),
    metadata:
      typeof error === "string"
        ? { ...activity.metadata, error: cutText(error, MAX_TEXT_BYTES / 2) }
        : activity.metadata,
  };
}

/** The characters that the log keeps of an id; a longer one names nothing. */
const MAX_ID_CHARACTERS = 64;

/** The bytes of UTF-8 that the log keeps of a text. The longest text of the catalogue has half as many. */
const MAX_TEXT_BYTES = 256;

function cutId(id: string): string {
  // A character takes up to two UTF-16 units; cutting a pair leaves half of it at the end, beyond the 64.
  const beginning = storable(id).slice(0, 2 * MAX_ID_CHARACTERS);
  return [...beginning].slice(0, MAX_ID_CHARACTERS).join("").toWellFormed();
}

function cutText(text: string, bytes: number): string {
  const sent = Buffer.from(storable(text));
  if (sent.length <= bytes) return sent.toString();
  return sent
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, "");
}

const storable = (text: string) => text.replaceAll("\u0000", "").toWellFormed();
