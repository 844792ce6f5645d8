import type { Caller } from "@cloud/access";
import { parseVisibility } from "@cloud/access/lists";
import { newId, parseOrganizationId, parseTextParameter } from "@cloud/access/values";
import type { CreateCurriculumRequest } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { createOnce } from "@cloud/service";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import type { CurriculumId } from "../ids.ts";
import { selectOrganizationForUpdate } from "../organizations/sql.ts";
import { curriculumToProto } from "../to-proto.ts";
import { freeSlug, slugOf } from "./rules.ts";
import { insertCurriculum, selectSlugsFrom } from "./sql.ts";

/** Creates a curriculum with a free slug. @throws PERMISSION_DENIED also if the organization was deleted meanwhile. */
export async function createCurriculum(context: Context, caller: Caller, request: CreateCurriculumRequest) {
  const organizationId = parseOrganizationId(request.organizationId || request.orgId);
  const texts = parseTexts(request);
  const visibility = parseVisibility(request.visibility, "public");
  const wanted = slugOf(parseTextParameter("slug", request.slug) || texts.title);
  await caller.requireCreation(organizationId);
  const id = newId<CurriculumId>();
  return await createOnce(context, async (tx) => {
    // The lock makes the second of two concurrent creations with the same title see the slug of the first.
    if (!(await selectOrganizationForUpdate(tx, organizationId))) {
      throw caller.permissionDenied();
    }
    const slug = freeSlug(wanted, await selectSlugsFrom(tx, organizationId, wanted));
    const row = await insertCurriculum(tx, { id, organizationId, ...texts, visibility, slug });
    recordAuditEvent(tx, context, caller, { action: "curriculum.created", target: id, organizationId });
    return { curriculum: curriculumToProto(row) };
  });
}

function parseTexts(request: CreateCurriculumRequest) {
  return {
    title: parseTextParameter("title", request.title),
    description: parseTextParameter("description", request.description),
    type: parseTextParameter("type", request.type),
    level: parseTextParameter("level", request.level),
    status: parseTextParameter("status", request.status),
  };
}
