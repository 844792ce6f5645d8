import type { Database } from "@cloud/postgres";
import type { LocalLinks } from "@cloud/service";
import type { DeletedLink } from "./assignment-sql.ts";
import { type DanglingLink, deleteDanglingLinksAfter } from "./dangling-link-sql.ts";
import { reportDeletedLinks } from "./report-deleted-links.ts";

/** Returns the sweep of links whose design, view or workspace is deleted. */
export function localLinks(db: Database): LocalLinks {
  return {
    name: "workspace-local-links",
    sweep: (after, limit) =>
      db.transaction(async (tx) => {
        const { ended, last } = await deleteDanglingLinksAfter(tx, after, limit);
        const links = ended.filter(isOfLiveWorkspace);
        await reportDeletedLinks(
          tx,
          links.map((link) => ({ ...link, actor: "", reason: "deleted" })),
        );
        return { ended: ended.length, last };
      }),
  };
}

/** The log of a deleted workspace gets no more lines. */
function isOfLiveWorkspace<Link extends DanglingLink>(link: Link): link is Link & DeletedLink {
  return link.workspace_id !== null && link.organization_id !== null;
}
