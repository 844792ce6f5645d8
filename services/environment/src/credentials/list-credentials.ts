import type { Caller } from "@cloud/access";
import { parseListParameters } from "@cloud/access/lists";
import type { ListCredentialsRequest } from "@cloud/proto/environment/v1/credential_service_pb";
import { organizationsInScope } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { credentialToProto } from "../to-proto.ts";
import { selectCredentialsOf } from "./sql.ts";

export async function listCredentials(context: Context, caller: Caller, request: ListCredentialsRequest) {
  const query = parseListParameters(request);
  const scope = await caller.requireListScope(request.orgId);
  const organizationIds = await organizationsInScope(context.identity, scope);
  const { rows, ...total } = await selectCredentialsOf(context.db, organizationIds, query);
  return { page: query.page, pageSize: query.pageSize, ...total, credentials: rows.map(credentialToProto) };
}
