import { type Database, plannedEachTime, type Reader, sql } from "@cloud/postgres";

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
}

/**
 * Runs `read` and returns how many rows and entries of indexes its statements read, those included that a filter
 * removed: each statement is executed twice, once with EXPLAIN ANALYZE.
 */
export async function rowsRead(db: Database, read: (db: Reader) => Promise<unknown>): Promise<number> {
  let total = 0;
  const explaining: Reader["read"] = async (one, params) => {
    const { rows } = await db.read(
      plannedEachTime<Explained>(sql`explain (analyze, timing off, buffers off, format json) ${one.text}`),
      params,
    );
    for (const { Plan } of rows[0]?.["QUERY PLAN"] ?? []) total += countRows(Plan);
    return await db.read(one, params);
  };
  await read({ read: explaining });
  return total;
}

interface Explained {
  readonly "QUERY PLAN": readonly { readonly Plan: PlanNode }[];
}

function countRows(node: PlanNode): number {
  const own = node["Relation Name"] === undefined && node["Index Name"] === undefined ? 0 : rowsOf(node);
  return (node.Plans ?? []).reduce((sum, child) => sum + countRows(child), own);
}

function rowsOf(node: PlanNode): number {
  const rows = node["Actual Rows"] ?? 0;
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return (rows + removed) * (node["Actual Loops"] ?? 1);
}
