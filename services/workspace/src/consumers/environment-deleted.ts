import { effect } from "@cloud/messaging";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import type { Id } from "@cloud/rpc";
import { deleteLinksOfResource } from "../assignments/assignment-sql.ts";
import { upsertReferenceTombstone } from "../assignments/reference-sql.ts";
import { tellEndedLinks } from "../assignments/tell-ended-links.ts";

/** The environment's workspace links end, and its tombstone keeps an assignment that is under way from making another. */
export const environmentDeleted = effect(EnvironmentDeletedSchema, async (tx, event) => {
  const id = event.environmentId as Id;
  await upsertReferenceTombstone(tx, "environment", id);
  const workspaces = await deleteLinksOfResource(tx, "environment", id);
  await tellEndedLinks(tx, workspaces, "environment", id, event.actor, "deleted");
});
