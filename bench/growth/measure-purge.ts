import type { Database } from "@cloud/postgres";
import { purgeTable } from "@cloud/postgres/migrations";
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
  const { signal } = new AbortController();
  const deleted = await purgeTable(timed(workspace, batches), table, { days: DAYS, signal });
  const seconds = (performance.now() - began) / 1000;
  if (deleted !== lines) throw new Error(`${deleted} of ${lines} old lines were purged`);
  const name = { part: "growth", what: "purge of the log", side: "cloud" };
  recorder.record({ ...name, program: "all", unit: "lines per second" }, [deleted / seconds]);
  recorder.record({ ...name, program: "longest batch", unit: "ms" }, [Math.max(...batches)]);
}

function timed(db: Database, batches: number[]): Pick<Database, "transaction"> {
  const transaction: Database["transaction"] = async (work) => {
    const began = performance.now();
    const result = await db.transaction(work);
    batches.push(performance.now() - began);
    return result;
  };
  return { transaction };
}
