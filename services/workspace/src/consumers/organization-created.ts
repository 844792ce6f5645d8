import { effect } from "@cloud/messaging";
import { OrganizationCreatedSchema } from "@cloud/proto/identity/v1/events_pb";
import type { OrganizationId } from "@cloud/rpc";
import { welcomeOrganization } from "../organizations/welcome-organization.ts";

/** A new organization gets its `My Workspace`. */
export const organizationCreated = effect(OrganizationCreatedSchema, async (tx, event) => {
  await welcomeOrganization(tx, event.organizationId as OrganizationId, event.owner);
});
