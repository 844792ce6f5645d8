import type { RegisterForCurriculumRequest } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Caller, type CurriculumId, fail, parseId, requireMembership } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { selectIsMember } from "../organizations/memberships-sql.ts";
import { selectOrganizationForShare } from "../organizations/organizations-sql.ts";
import { findNamedUser } from "../users/find-owner.ts";
import { insertRegistration, selectCurriculum } from "./curricula-sql.ts";
import { curriculumToProto } from "./curriculum-to-proto.ts";

export async function registerForCurriculum(
  { db }: IdentityContext,
  request: RegisterForCurriculumRequest,
  caller: Caller,
) {
  const id = parseId<CurriculumId>(request.id, Reason.CURRICULUM_NOT_FOUND);
  const organization = (await selectCurriculum(db, id))?.organization_id;
  if (organization === undefined) {
    throw fail(Reason.CURRICULUM_NOT_FOUND);
  }
  await requireMembership(caller, organization, Reason.CURRICULUM_NOT_FOUND);
  const user = await findNamedUser(db, caller, request.userId);
  return await db.withTransaction(async (tx) => {
    const isLive = await selectOrganizationForShare(tx, organization);
    if (!isLive || !(await selectIsMember(tx, organization, user))) {
      throw fail(caller.userId === "" && isLive ? Reason.USER_NOT_FOUND : Reason.CURRICULUM_NOT_FOUND);
    }
    await insertRegistration(tx, id, user);
    const row = await selectCurriculum(tx, id);
    return row === undefined ? {} : { curriculum: curriculumToProto(row) };
  });
}
