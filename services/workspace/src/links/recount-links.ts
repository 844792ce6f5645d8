import { type Database, sql } from "@cloud/postgres";
import type { RepeatedPass } from "@cloud/service";
import type { Logger } from "@cloud/telemetry";

/** Workspaces of one pass, each counted by a statement of its own: 100,000 links take 0.2 s. */
const AT_ONCE = 100;

interface Counted {
  readonly workspace_id: string;
  readonly kind: string;
}

const FIRST: Counted = { workspace_id: "00000000-0000-0000-0000-000000000000", kind: "" };

/**
 * Counts the links of the next workspaces after `after` again, and corrects what their triggers have kept. Returns how
 * many were wrong, and the last one; undefined at the end of the table.
 */
export async function recountLinks(db: Database, after: Counted) {
  const select = sql`
    select distinct workspace_id, kind
    from link_states
    where (workspace_id, kind) > ($1, $2)
    order by workspace_id, kind
    limit $3`;
  const next = await db.query<Counted & Record<string, unknown>>(select, [after.workspace_id, after.kind, AT_ONCE]);
  let wrong = 0;
  for (const { workspace_id: workspaceId, kind } of next.rows) {
    const recount = sql`select recount_links($1, $2) as was_wrong`;
    const { rows } = await db.query<{ was_wrong: boolean }>(recount, [workspaceId, kind]);
    if (rows[0]?.was_wrong === true) wrong++;
  }
  return { wrong, last: next.rows.length < AT_ONCE ? undefined : next.rows.at(-1) };
}

/** Repeats `recountLinks`, from where the last pass ended. A wrong state shows that links were changed without triggers. */
export function createRecountPass(db: Database, log: Logger): RepeatedPass {
  let after = FIRST;
  const run = async () => {
    const { wrong, last } = await recountLinks(db, after);
    after = last ?? FIRST;
    if (wrong > 0) log.error({ wrong }, "the links of workspaces were counted wrongly, and are counted again");
  };
  return { name: "link-states", run };
}
