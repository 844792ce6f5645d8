import type { JsonObject } from "@bufbuild/protobuf";
import { type AuditEventId, afterCursor, type Cursor, type LogCursor, type OrganizationId } from "@cloud/contract";
import { type Sql, sql } from "@cloud/postgres";
import { followedLines } from "@cloud/service";

export interface AuditEventRow {
  id: AuditEventId;
  actor: string;
  action: string;
  target: string;
  organization_id: OrganizationId | null;
  metadata: JsonObject;
  request_id: string;
  created_at: Date;
}

export interface NewAuditEvent {
  readonly id: AuditEventId;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly organizationId: OrganizationId | null;
  readonly metadata: JsonObject;
  readonly requestId: string;
}

/** Appends entries. */
export async function insertAuditEvents(db: Sql, events: readonly NewAuditEvent[]): Promise<void> {
  const column = <T>(value: (event: NewAuditEvent) => T) => events.map(value);
  await db.query(
    sql`
      insert into audit_events (id, actor, action, target, organization_id, metadata, request_id)
      select *
      from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::jsonb[], $7::text[])`,
    [
      column(({ id }) => id),
      column(({ actor }) => actor),
      column(({ action }) => action),
      column(({ target }) => target),
      column(({ organizationId }) => organizationId),
      column(({ metadata }) => JSON.stringify(metadata)),
      column(({ requestId }) => requestId),
    ],
  );
}

const columns = sql`id, actor, action, target, organization_id, metadata, request_id, created_at`;

const selectAll = sql`
  select ${columns}
  from audit_events
  where (created_at, id) < ($1, $2)
  order by created_at desc, id desc
  limit $3`;

const selectOfOrganization = sql`
  select ${columns}
  from audit_events
  where (created_at, id) < ($1, $2) and organization_id = $4
  order by created_at desc, id desc
  limit $3`;

/** Returns the next `limit` entries after the cursor, newest first: of an organization, or of all and of none. */
export async function selectAuditEvents(
  db: Sql,
  scope: "all" | OrganizationId,
  cursor: Cursor | undefined,
  limit: number,
): Promise<AuditEventRow[]> {
  const { rows } =
    scope === "all"
      ? await db.query<AuditEventRow>(selectAll, [...afterCursor(cursor), limit])
      : await db.query<AuditEventRow>(selectOfOrganization, [...afterCursor(cursor), limit, scope]);
  return rows;
}

const log = { table: sql`audit_events`, columns };
const selectNextOfAll = followedLines({ ...log, where: sql`$1::uuid is null` });
const selectNextOfOrganization = followedLines({ ...log, where: sql`organization_id = $1` });

/** Returns the next `limit` entries after the cursor, oldest first, and those before it that were committed since. */
export async function selectNextAuditEvents(
  db: Sql,
  scope: "all" | OrganizationId,
  cursor: LogCursor,
  limit: number,
): Promise<AuditEventRow[]> {
  return scope === "all"
    ? await selectNextOfAll<AuditEventRow>(db, null, cursor, limit)
    : await selectNextOfOrganization<AuditEventRow>(db, scope, cursor, limit);
}
