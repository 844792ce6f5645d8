import type { Id } from "@cloud/contract";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { TeamDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import { deletionBatchEffect, type Owner } from "@cloud/service";
import { unlinkResources } from "../links/unlink-resources.ts";

/** Unlinks the deleted teams from their workspaces, if their owner confirms the deletions. */
export const teamDeleted = (identity: Owner) =>
  deletionBatchEffect(
    TeamDeletedSchema,
    { owner: identity, kind: RecordKind.TEAM, idOf: (event) => event.teamId },
    async (tx, events) => {
      const deleted = events.map(({ teamId, actor }) => ({ id: teamId as Id, actor }));
      await unlinkResources(tx, "team", deleted);
    },
  );
