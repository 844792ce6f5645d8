import type { OrganizationId } from "@cloud/contract";
import { effect } from "@cloud/messaging";
import { OrganizationCreatedSchema } from "@cloud/proto/identity/v1/events_pb";
import { provisionOrganization } from "../organizations/provision-organization.ts";

/** Creates the `My Workspace` of a new organization. */
export const organizationCreated = effect(OrganizationCreatedSchema, async (tx, event) => {
  await provisionOrganization(tx, event.organizationId as OrganizationId, event.owner);
});
