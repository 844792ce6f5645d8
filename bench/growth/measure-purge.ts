import type { Tx } from "@cloud/postgres";
import { inPurgingSession, purgeTable } from "@cloud/postgres/migrations";
import { testTelemetry } from "@cloud/testkit";
import { schema } from "../../services/workspace/src/service.ts";
import { insertOldLines } from "../../test/chaos/retention/old-lines.ts";
import type { SystemDatabases } from "../../test/chaos/system/system-databases.ts";
import type { Recorder } from "../harness/figures.ts";
import type { Databases } from "./growth-request.ts";

const DAYS = 365;

/** Measures how fast old lines of the log are deleted, with the pauses between batches, and how long a batch takes. */
export async function measurePurge(
  databases: SystemDatabases,
  { workspace }: Databases,
  { lines, recorder }: { readonly lines: number; readonly recorder: Recorder },
): Promise<void> {
  const [table] = schema.logs;
  if (table === undefined) throw new Error("the workspace service has no log");
  await insertOldLines(databases, lines);
  const batches: number[] = [];
  const began = performance.now();
  const session = { ...workspace, applicationName: "purge", log: testTelemetry().log };
  const deleted = await inPurgingSession(session, (db) =>
    purgeTable(timed(db, batches), table, { days: DAYS, signal: new AbortController().signal }),
  );
  const seconds = (performance.now() - began) / 1000;
  if (deleted !== lines) throw new Error(`${deleted} of ${lines} old lines were purged`);
  const name = { part: "growth", what: "purge of the log", side: "cloud" };
  recorder.record({ ...name, program: "all", unit: "lines per second" }, [deleted / seconds]);
  recorder.record({ ...name, program: "longest batch", unit: "ms" }, [Math.max(...batches)]);
}

function timed(db: Pick<Tx, "query">, batches: number[]): Pick<Tx, "query"> {
  const query: Tx["query"] = async (statement, params) => {
    const began = performance.now();
    const result = await db.query(statement, params);
    batches.push(performance.now() - began);
    return result;
  };
  return { query };
}
