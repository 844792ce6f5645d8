import type { WorkspaceId } from "@cloud/rpc";
import type { ReferenceKind } from "@cloud/service";
import type { IdentityContext } from "./context.ts";
import { clearSelectionsOfWorkspace, selectSelectedWorkspaceIdsAfter } from "./preferences/preferences-sql.ts";
import { tombstoneKnownWorkspace } from "./preferences/workspace-references-sql.ts";

/** The references that this service keeps to the records of others, for the reconciler. */
export function referencesOf({ db, workspaces }: IdentityContext): ReferenceKind[] {
  return [
    {
      name: "preferences-workspace",
      page: (after, limit) => selectSelectedWorkspaceIdsAfter(db, after, limit),
      live: async (ids) => (await workspaces.batchGetWorkspaces({ ids: [...ids] })).workspaces.map(({ id }) => id),
      // The tombstone first, as in the consumer of the event: whoever is selecting it right now is cleared next.
      end: (id) =>
        db.withTransaction(async (tx) => {
          await tombstoneKnownWorkspace(tx, id as WorkspaceId);
          return await clearSelectionsOfWorkspace(tx, id as WorkspaceId);
        }),
    },
  ];
}
