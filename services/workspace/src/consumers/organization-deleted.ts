import type { OrganizationId } from "@cloud/contract";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { OrganizationDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import { deleteOrganizationInBatches, deletionEffect, type Owner } from "@cloud/service";
import { nextDeletion } from "./delete-organization.ts";

/** Deletes everything in the deleted organization, if identity confirms the deletion. */
export const organizationDeleted = (identity: Owner) =>
  deletionEffect(
    OrganizationDeletedSchema,
    { owner: identity, kind: RecordKind.ORGANIZATION, idOf: (event) => event.organizationId },
    async (db, { organizationId, actor }) => {
      const organization = { id: organizationId as OrganizationId, actor };
      await deleteOrganizationInBatches(db, organization, nextDeletion);
    },
  );
