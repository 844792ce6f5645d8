import { effect } from "@cloud/messaging";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import type { Id } from "@cloud/rpc";
import { endReferences } from "../assignments/end-references.ts";

export const environmentDeleted = effect(EnvironmentDeletedSchema, async (tx, event) => {
  await endReferences(tx, "environment", event.environmentId as Id, event.actor);
});
