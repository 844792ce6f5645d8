import type { CreateCurriculumRequest } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import {
  type Caller,
  type CurriculumId,
  fail,
  newId,
  parseOrganizationId,
  parseTextParameter,
  parseVisibility,
  permissionName,
  requireCreation,
} from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { selectOrganizationForUpdate } from "../organizations/organizations-sql.ts";
import { insertCurriculum, selectSlugsFrom } from "./curricula-sql.ts";
import { curriculumToProto } from "./curriculum-to-proto.ts";
import { freeSlug, slugOf } from "./slug-rules.ts";

export async function createCurriculum({ db }: IdentityContext, request: CreateCurriculumRequest, caller: Caller) {
  const organizationId = parseOrganizationId(request.organizationId);
  const texts = parseTexts(request);
  const visibility = parseVisibility(request.visibility, "public");
  const wanted = slugOf(parseTextParameter("slug", request.slug) || texts.title);
  await requireCreation(caller, organizationId, Permission.MANAGE_CURRICULA);
  const id = newId<CurriculumId>();
  return await db.withTransaction(async (tx) => {
    // The organization's lock: of two with one title at once, the second sees the first one's slug.
    if (!(await selectOrganizationForUpdate(tx, organizationId))) {
      throw fail(Reason.PERMISSION_DENIED, { permission: permissionName(Permission.MANAGE_CURRICULA) });
    }
    const slug = freeSlug(wanted, await selectSlugsFrom(tx, organizationId, wanted));
    const row = await insertCurriculum(tx, { id, organizationId, ...texts, visibility, slug });
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
