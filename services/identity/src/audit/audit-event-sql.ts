import type { JsonObject } from "@bufbuild/protobuf";
import { type AuditEventId, afterCursor, type Cursor, type OrganizationId } from "@cloud/contract";
import { type Sql, sql } from "@cloud/postgres";

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

/** Appends an entry. */
export async function insertAuditEvent(db: Sql, event: NewAuditEvent): Promise<void> {
  const { id, actor, action, target, organizationId, metadata, requestId } = event;
  await db.query(
    sql`
      insert into audit_events (id, actor, action, target, organization_id, metadata, request_id)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, actor, action, target, organizationId, metadata, requestId],
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
