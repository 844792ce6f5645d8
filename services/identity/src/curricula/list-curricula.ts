import type { ListCurriculaRequest } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { type Caller, parseListParameters } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { findCurrentOrganization } from "../preferences/find-current-organization.ts";
import { selectCurriculumPage } from "./curricula-sql.ts";
import { curriculumToProto } from "./curriculum-to-proto.ts";

/** Of the current organization; without one there are none. */
export async function listCurricula({ db }: IdentityContext, request: ListCurriculaRequest, caller: Caller) {
  const list = parseListParameters(request);
  const organization = await findCurrentOrganization(db, caller);
  if (organization === undefined) {
    return { total: 0, data: [] };
  }
  const { totalCount, rows } = await selectCurriculumPage(db, organization, list);
  return { total: totalCount, data: rows.map(curriculumToProto) };
}
