import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { orThrow, parseId } from "@cloud/access/values";
import type { RegisterForCurriculumRequest } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import type { CurriculumId } from "../ids.ts";
import { selectIsMember } from "../memberships/sql.ts";
import { selectOrganizationForShare } from "../organizations/sql.ts";
import { curriculumToProto } from "../to-proto.ts";
import { requireNamedUser } from "../users/resolve-owner.ts";
import { insertRegistration, selectCurriculum } from "./sql.ts";

/**
 * Registers the calling user, or the user that a service names. Idempotent. A share lock on the organization keeps the
 * user a member until the transaction ends.
 */
export async function registerForCurriculum(context: Context, caller: Caller, request: RegisterForCurriculumRequest) {
  const id = parseId<CurriculumId>(request.id || request.contentId, Reason.CURRICULUM_NOT_FOUND);
  const curriculum = orThrow(await selectCurriculum(context.db, id), Reason.CURRICULUM_NOT_FOUND);
  const organizationId = curriculum.organization_id;
  await caller.requireAccess(organizationId, Reason.CURRICULUM_NOT_FOUND);
  const userId = await requireNamedUser(context, caller, request.userId);
  return await context.db.transaction(async (tx) => {
    const isLive = await selectOrganizationForShare(tx, organizationId);
    if (!isLive || !(await selectIsMember(tx, organizationId, userId))) {
      throw fail(caller.userId === "" && isLive ? Reason.USER_NOT_FOUND : Reason.CURRICULUM_NOT_FOUND);
    }
    if (await insertRegistration(tx, id, userId)) {
      const entry = { target: userId, organizationId, metadata: { curriculumId: id } };
      recordAuditEvent(tx, context, caller, { action: "registration.created", ...entry });
    }
    const row = await selectCurriculum(tx, id);
    return row === undefined ? {} : { curriculum: curriculumToProto(row) };
  });
}
