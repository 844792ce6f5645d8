import type { Caller } from "@cloud/access";
import { orThrow, parseId } from "@cloud/access/values";
import type { GetCurriculumRequest } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Context } from "../context.ts";
import type { CurriculumId } from "../ids.ts";
import { curriculumToProto } from "../to-proto.ts";
import { selectCurriculum } from "./sql.ts";

/** Returns a curriculum. @throws CURRICULUM_NOT_FOUND also for one of an organization that the caller is not in. */
export async function getCurriculum(context: Context, caller: Caller, request: GetCurriculumRequest) {
  const id = parseId<CurriculumId>(request.id, Reason.CURRICULUM_NOT_FOUND);
  const row = orThrow(await selectCurriculum(context.db, id), Reason.CURRICULUM_NOT_FOUND);
  await caller.requireAccess(row.organization_id, Reason.CURRICULUM_NOT_FOUND);
  return { curriculum: curriculumToProto(row) };
}
