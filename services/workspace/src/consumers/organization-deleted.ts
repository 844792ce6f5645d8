import { effect } from "@cloud/messaging";
import { OrganizationDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import type { OrganizationId } from "@cloud/rpc";
import { endOrganization } from "../organizations/end-organization.ts";

export const organizationDeleted = effect(OrganizationDeletedSchema, async (tx, event) => {
  await endOrganization(tx, event.organizationId as OrganizationId, event.actor);
});
