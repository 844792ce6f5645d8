import { effect } from "@cloud/messaging";
import { TeamDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import type { Id } from "@cloud/rpc";
import { deleteLinksOfResource } from "../assignments/assignment-sql.ts";
import { upsertReferenceTombstone } from "../assignments/reference-sql.ts";
import { tellEndedLinks } from "../assignments/tell-ended-links.ts";

/** The team's workspace links end, and its tombstone keeps an assignment that is under way from making another. */
export const teamDeleted = effect(TeamDeletedSchema, async (tx, event) => {
  const id = event.teamId as Id;
  await upsertReferenceTombstone(tx, "team", id);
  const workspaces = await deleteLinksOfResource(tx, "team", id);
  await tellEndedLinks(tx, workspaces, "team", id, event.actor, "deleted");
});
