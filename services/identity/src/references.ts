import type { WorkspaceId } from "@cloud/rpc";
import type { ReferenceKind } from "@cloud/service";
import type { IdentityContext } from "./context.ts";
import { clearSelectionsOfWorkspace, selectSelectedWorkspaceIdsAfter } from "./preferences/preferences-sql.ts";

/** The references that this service keeps to the records of others, for the reconciler. */
export function referencesOf({ db, workspaces }: IdentityContext): ReferenceKind[] {
  return [
    {
      name: "preferences-workspace",
      page: (after, limit) => selectSelectedWorkspaceIdsAfter(db, after, limit),
      live: async (ids) => (await workspaces.batchGetWorkspaces({ ids: [...ids] })).workspaces.map(({ id }) => id),
      end: (id) => db.withTransaction((tx) => clearSelectionsOfWorkspace(tx, id as WorkspaceId)),
    },
  ];
}
