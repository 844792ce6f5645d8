import type { Database } from "@cloud/postgres";
import type { LocalLinks } from "@cloud/service";
import { deleteDanglingLinksAfter } from "./dangling-link-sql.ts";

/** Returns the sweep that deletes links of deleted environments and connections. */
export function localLinks(db: Database): LocalLinks {
  return {
    name: "environment-local-links",
    sweep: (after, limit) => db.transaction((tx) => deleteDanglingLinksAfter(tx, after, limit)),
  };
}
