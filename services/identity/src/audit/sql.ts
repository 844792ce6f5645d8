import type { JsonObject } from "@bufbuild/protobuf";
import type { OrganizationId } from "@cloud/access/values";
import { sql, statement, type Tx } from "@cloud/postgres";
import { logReads } from "@cloud/service/records";
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
export function insertAuditEvents(tx: Tx, events: readonly NewAuditEvent[]): void {
  const column = <T>(value: (event: NewAuditEvent) => T) => events.map(value);
  const params = [
    column(({ id }) => id),
    column(({ actor }) => actor),
    column(({ action }) => action),
    column(({ target }) => target),
    column(({ organizationId }) => organizationId),
    column(({ metadata }) => JSON.stringify(metadata)),
    column(({ requestId }) => requestId),
  ];
  tx.atCommit({ statement: auditEventsInsertion, params });
}

const columns = sql`id, actor, action, target, organization_id, metadata, request_id, created_at`;

const log = { table: sql`audit_events`, columns };

/** Reads the entries of the whole system; the scope is null. */
export const systemLog = logReads<AuditEventRow>({ ...log, where: sql`$1::uuid is null` });

/** Reads the entries of an organization. */
export const organizationLog = logReads<AuditEventRow>({ ...log, where: sql`organization_id = $1` });
