import type { Caller } from "@cloud/access";
import { type ListParameters, parseListParameters } from "@cloud/access/lists";
import type { ListInvitationsRequest } from "@cloud/proto/identity/v1/invitation_service_pb";
import { requireNamedOrganization } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { invitationToProto } from "../to-proto.ts";
import { requireUser } from "../users/resolve-owner.ts";
import { selectInvitationsOf, selectOwnInvitations } from "./pages-sql.ts";

/** Lists the invitations of the organization that the request names, or the caller's own. */
export async function listInvitations(context: Context, caller: Caller, request: ListInvitationsRequest) {
  const query = parseListParameters(request);
  const { rows, ...total } =
    request.organizationId === ""
      ? await listOwn(context, caller, query)
      : await listOf(context, caller, request.organizationId, query);
  return { page: query.page, pageSize: query.pageSize, ...total, invitations: rows.map(invitationToProto) };
}

async function listOf(context: Context, caller: Caller, id: string, query: ListParameters) {
  const organizationId = await requireNamedOrganization(caller, id);
  return await selectInvitationsOf(context.db, organizationId, query);
}

async function listOwn(context: Context, caller: Caller, query: ListParameters) {
  caller.requireOwn();
  return await selectOwnInvitations(context.db, requireUser(caller), query);
}
