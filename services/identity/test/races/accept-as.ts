import { create } from "@bufbuild/protobuf";
import { accessRuleOf, Caller } from "@cloud/access";
import { servicePrincipal } from "@cloud/access/principal";
import type { UserId } from "@cloud/access/values";
import { AcceptInvitationRequestSchema, InvitationService } from "@cloud/proto/identity/v1/invitation_service_pb";
import type { Context } from "../../src/context.ts";
import { acceptInvitation } from "../../src/invitations/accept-invitation.ts";

/** Accepts an invitation in the name of a user, without an RPC: a control changes the statements of the context. */
export async function acceptAs(context: Context, userId: string, id: string) {
  const user = { ...servicePrincipal("", ""), type: "user" as const, userId: userId as UserId };
  const caller = new Caller(user, accessRuleOf(InvitationService.method.acceptInvitation));
  return await acceptInvitation(context, caller, create(AcceptInvitationRequestSchema, { id }));
}
