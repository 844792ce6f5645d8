import { type Database, plannedEachTime, type Reader, sql } from "@cloud/postgres";
import type { Recorder } from "../harness/figures.ts";
import { interleave } from "../harness/interleave.ts";
import type { Databases, GrowthRequest } from "./growth-request.ts";

/** Measures the time that Postgres takes for the statements of each request, planning included. */
export async function measureStatements(
  requests: readonly GrowthRequest[],
  databases: Databases,
  { recorder, rounds }: { readonly recorder: Recorder; readonly rounds: number },
): Promise<void> {
  for (const { what, sides } of requests) {
    const measured = await interleave(sides, rounds, async ({ statement }) => {
      const sum = { ms: 0 };
      await statement?.(await explaining(databases, sum));
      return sum.ms;
    });
    for (const [{ name: side, statement }, values] of measured) {
      if (statement === undefined) continue;
      recorder.record({ part: "growth", what, side, program: "postgres", unit: "ms of statements" }, values);
    }
  }
}

interface Explained {
  readonly "Planning Time": number;
  readonly "Execution Time": number;
}

/** Returns the databases, whose statements also add their time to the sum: each is executed twice. */
function explaining(databases: Databases, sum: { ms: number }): Databases {
  const watched = (db: Database): Database => {
    const read: Reader["read"] = async (one, params) => {
      const explain = plannedEachTime<{ "QUERY PLAN": Explained[] }>(
        sql`explain (analyze, timing off, buffers off, summary on, format json) ${one.text}`,
      );
      const { rows } = await db.read(explain, params);
      for (const plan of rows[0]?.["QUERY PLAN"] ?? []) sum.ms += plan["Planning Time"] + plan["Execution Time"];
      return await db.read(one, params);
    };
    return { ...db, read };
  };
  const { identity, environment, workspace } = databases;
  return { identity: watched(identity), environment: watched(environment), workspace: watched(workspace) };
}
