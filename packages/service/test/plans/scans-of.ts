import {
  type Database,
  plannedEachTime,
  type SqlText,
  type Statement,
  type StatementResult,
  sql,
  statement,
  type Tx,
} from "@cloud/postgres";

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly Plans?: readonly PlanNode[];
}

/**
 * Returns how Postgres would find the rows of the statements that `run` sends, by name and each once: its indexes, and
 * `all of <table>` where it would read a whole table that grows. Executes none of them; each appears to return one
 * empty row.
 */
export async function scansOf(db: Database, run: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  return await collect(db, run, (tx, text, params) => tx.query(explain(text), params));
}

/** Returns the same of the plan that Postgres makes for any parameters: a list that is planned once may get it. */
export async function scansOfAny(db: Database, run: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  return await collect(db, run, async (tx, text, params) => {
    await tx.query(statement`set local plan_cache_mode = force_generic_plan`);
    await tx.query(plannedEachTime(sql`prepare planned_once as ${text}`));
    const nulls = params.slice(1).reduce<SqlText>((list) => sql`${list}, null`, sql`null`);
    const result = await tx.query(explain(sql`execute planned_once(${nulls})`));
    await tx.query(statement`deallocate planned_once`);
    return result;
  });
}

const explain = (text: SqlText) => plannedEachTime<Explained>(sql`explain (format json) ${text}`);

type Explain = (tx: Tx, text: SqlText, params: readonly unknown[]) => Promise<StatementResult<Explained>>;

async function collect(db: Database, run: (tx: Tx) => Promise<unknown>, explainIn: Explain): Promise<string[]> {
  const found = new Set<string>();
  await db.transaction(async (tx) => {
    const explaining = async ({ text }: Statement, params: readonly unknown[] = []) => {
      const { rows, ...result } = await explainIn(tx, text, params);
      for (const { Plan } of rows[0]?.["QUERY PLAN"] ?? []) collectScans(Plan, found);
      return { ...result, rows: [{}], rowCount: 1 };
    };
    await run({ ...tx, query: explaining as Tx["query"], read: explaining as Tx["read"] });
  });
  return [...found].toSorted();
}

interface Explained {
  readonly "QUERY PLAN": readonly { readonly Plan: PlanNode }[];
}

function collectScans(node: PlanNode, found: Set<string>): void {
  if (node["Index Name"] !== undefined) found.add(node["Index Name"]);
  const table = node["Relation Name"] ?? "";
  if (node["Node Type"] === "Seq Scan" && !SMALL.has(table)) found.add("all of " + table);
  for (const child of node.Plans ?? []) collectScans(child, found);
}

const SMALL = new Set(["ending_organizations", "installation", "outbox_publications", "roles", "role_permissions"]);
