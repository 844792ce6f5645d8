import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { ListCredentialsRequest } from "@cloud/proto/environment/v1/credential_service_pb";
import { type Caller, parseListParameters, requireListScope } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { organizationsInScope } from "../organizations/organizations-in-scope.ts";
import { requirePermissionInScope } from "../organizations/require-permission-in-scope.ts";
import { selectCredentialsOf } from "./credential-sql.ts";
import { credentialToProto } from "./credential-to-proto.ts";

export async function listCredentials(context: Context, caller: Caller, request: ListCredentialsRequest) {
  const query = parseListParameters(request);
  const scope = await requireListScope(caller, request.orgId);
  requirePermissionInScope(caller, scope, Permission.VIEW_CONNECTIONS);
  const organizationIds = await organizationsInScope(context, scope);
  const { totalCount, rows } = await selectCredentialsOf(context.db, organizationIds, query);
  return { page: query.page, pageSize: query.pageSize, totalCount, credentials: rows.map(credentialToProto) };
}
