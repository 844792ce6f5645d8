import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { type Cursor, formatCursor, parseCursor } from "@cloud/access/lists";
import type { OrganizationId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ExportOrganizationEventsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createSemaphore, createSemaphoreMetrics, type Semaphore } from "@cloud/runtime/limits";
import type { Telemetry } from "@cloud/runtime/telemetry";
import type { StreamContext } from "@cloud/service";
import { requireNamedOrganization } from "@cloud/service/references";
import type { Context, StreamingContext } from "../context.ts";
import { activityToProto } from "../to-proto.ts";
import { organizationLog } from "./cursor-sql.ts";

/** Lines of a page: half a megabyte at most. The client has received them before the next ones are read. */
const PAGE = 500;
/** The most exports of the process at a time. Each has a connection to Postgres for a few milliseconds per page. */
const MAX_EXPORTS = 8;
/** Milliseconds after which an export ends, unfinished; a client continues it. */
const LONGEST_MS = 900_000;
/** Milliseconds after which the caller is identified again. */
const CHECK_EVERY_MS = 700;

/** Creates the bound on the exports of the process. */
export function createExportPlaces(telemetry: Telemetry): Semaphore {
  return createSemaphore(
    { max: MAX_EXPORTS, maxQueue: 0, refusal: fail(Reason.OVERLOADED) },
    createSemaphoreMetrics(telemetry, "exports"),
  );
}

/** Streams the logs of all workspaces of an organization, live and deleted, newest first. */
export async function* exportOrganizationEvents(
  context: StreamingContext & StreamContext,
  caller: Caller,
  request: ExportOrganizationEventsRequest,
) {
  const cursor = parseCursor(request.cursor);
  const organizationId = await requireNamedOrganization(caller, request.organizationId);

  using permit = new DisposableStack();
  permit.defer(await context.exportPlaces.acquire());
  yield* readPages(context, organizationId, cursor);
}

async function* readPages({ db, access }: Context & StreamContext, organizationId: OrganizationId, begin?: Cursor) {
  const since = performance.now();
  let checkedAt = since;
  let cursor = begin;
  for (;;) {
    const rows = await organizationLog.newestFirst(db, organizationId, cursor, PAGE);
    for (const row of rows) {
      const now = performance.now();
      if (now - since > LONGEST_MS) throw fail(Reason.DEADLINE_EXCEEDED);
      if (now - checkedAt > CHECK_EVERY_MS) {
        await (await access.again()).requireAccess(organizationId, Reason.ORGANIZATION_NOT_FOUND);
        checkedAt = now;
      }
      cursor = { createdAt: row.created_at, id: row.id };
      yield { event: activityToProto(row), cursor: formatCursor(cursor) };
    }
    if (rows.length < PAGE) return;
  }
}
