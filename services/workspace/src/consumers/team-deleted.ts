import { effect } from "@cloud/messaging";
import { TeamDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import type { Id } from "@cloud/rpc";
import { endReferences } from "../assignments/end-references.ts";

export const teamDeleted = effect(TeamDeletedSchema, async (tx, event) => {
  await endReferences(tx, "team", event.teamId as Id, event.actor);
});
