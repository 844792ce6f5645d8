import type { Id } from "@cloud/contract";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { deletionBatchEffect, type Owner } from "@cloud/service";
import { unlinkResources } from "../links/unlink-resources.ts";

/** Unlinks the deleted environments from their workspaces, if their owner confirms the deletions. */
export const environmentDeleted = (environment: Owner) =>
  deletionBatchEffect(
    EnvironmentDeletedSchema,
    { owner: environment, kind: RecordKind.ENVIRONMENT, idOf: (event) => event.environmentId },
    async (tx, events) => {
      const deleted = events.map(({ environmentId, actor }) => ({ id: environmentId as Id, actor }));
      await unlinkResources(tx, "environment", deleted);
    },
  );
