import type { Caller } from "@cloud/access";
import type { OrganizationId } from "@cloud/access/values";
import type { ListCurriculaRequest } from "@cloud/proto/academy/v1/curriculum_service_pb";
import type { Context } from "../context.ts";
import { findCurrentOrganization } from "../profiles/get-profile.ts";
import { curriculumToProto } from "../to-proto.ts";
import { parseCurriculumListParameters } from "./rules.ts";
import { selectCurriculaOf } from "./sql.ts";

/** Lists the curricula that `orgId` covers, else the current organization's; none without either. */
export async function listCurricula(context: Context, caller: Caller, request: ListCurriculaRequest) {
  const query = parseCurriculumListParameters(request);
  const scope = await findScope(context, caller, request.orgId);
  if (scope === undefined) {
    return { total: 0, data: [] };
  }
  const { totalCount: total, rows, ...capped } = await selectCurriculaOf(context.db, scope, query);
  return { total, ...capped, data: rows.map(curriculumToProto) };
}

/**
 * Returns the scope of `orgId`, else the current organization; undefined without either.
 *
 * @throws like `requireListScope` and `requireCurrent`.
 */
async function findScope(context: Context, caller: Caller, orgId: string): Promise<"all" | OrganizationId | undefined> {
  if (orgId !== "") {
    return await caller.requireListScope(orgId);
  }
  const current = await findCurrentOrganization(context, caller);
  caller.requireCurrent(current);
  return current;
}
