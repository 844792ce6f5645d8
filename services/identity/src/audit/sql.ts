import type { JsonObject } from "@bufbuild/protobuf";
import { afterCursor, type Cursor, type LogCursor } from "@cloud/access/lists";
import type { OrganizationId } from "@cloud/access/values";
import { type Reader, sql, statement, type Tx } from "@cloud/postgres";
import { followedLines } from "@cloud/service/records";
import type { AuditEventId } from "../ids.ts";

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

interface NewAuditEvent {
  readonly id: AuditEventId;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly organizationId: OrganizationId | null;
  readonly metadata: JsonObject;
  readonly requestId: string;
}

const auditEventsInsertion = statement`
  insert into audit_events (id, actor, action, target, organization_id, metadata, request_id)
  select *
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::jsonb[], $7::text[])`;

/** Appends entries. */
export async function insertAuditEvents(tx: Tx, events: readonly NewAuditEvent[]): Promise<void> {
  const column = <T>(value: (event: NewAuditEvent) => T) => events.map(value);
  await tx.query(auditEventsInsertion, [
    column(({ id }) => id),
    column(({ actor }) => actor),
    column(({ action }) => action),
    column(({ target }) => target),
    column(({ organizationId }) => organizationId),
    column(({ metadata }) => JSON.stringify(metadata)),
    column(({ requestId }) => requestId),
  ]);
}

const columns = sql`id, actor, action, target, organization_id, metadata, request_id, created_at`;

const selectAll = statement<AuditEventRow>`
  select ${columns}
  from audit_events
  where (created_at, id) < ($1, $2)
  order by created_at desc, id desc
  limit $3`;

const selectOfOrganization = statement<AuditEventRow>`
  select ${columns}
  from audit_events
  where (created_at, id) < ($1, $2) and organization_id = $4
  order by created_at desc, id desc
  limit $3`;

/** Returns the next `limit` entries after the cursor, newest first: of an organization, or of the whole system. */
export async function selectAuditEvents(
  db: Reader,
  scope: "all" | OrganizationId,
  cursor: Cursor | undefined,
  limit: number,
): Promise<AuditEventRow[]> {
  const { rows } =
    scope === "all"
      ? await db.read(selectAll, [...afterCursor(cursor), limit])
      : await db.read(selectOfOrganization, [...afterCursor(cursor), limit, scope]);
  return rows;
}

const log = { table: sql`audit_events`, columns };
const selectNextOfAll = followedLines({ ...log, where: sql`$1::uuid is null` });
const selectNextOfOrganization = followedLines({ ...log, where: sql`organization_id = $1` });

/** Returns the next `limit` entries, oldest first, with earlier entries whose transactions have committed since. */
export async function selectNextAuditEvents(
  db: Reader,
  scope: "all" | OrganizationId,
  cursor: LogCursor,
  limit: number,
): Promise<AuditEventRow[]> {
  return scope === "all"
    ? await selectNextOfAll<AuditEventRow>(db, null, cursor, limit)
    : await selectNextOfOrganization<AuditEventRow>(db, scope, cursor, limit);
}
