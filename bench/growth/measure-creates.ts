import type { SystemDatabases } from "../../test/chaos/system/system-databases.ts";
import { interleave } from "../harness/interleave.ts";
import { writeRequest } from "../harness/load.ts";
import type { LatencyRun } from "./measure-latencies.ts";

const CLIENTS = 16;
const SIDES = ["counted", "not counted"] as const;
const PART_OF_SECONDS = 0.5;

/** Measures how fast 16 clients create workspaces in one organization, with the triggers that count and without. */
export async function measureCreates({ of }: SystemDatabases, organizationId: string, token: string, run: LatencyRun) {
  const body = { organizationId, name: "Created", description: "By one of 16 clients" };
  const requests = [writeRequest({ method: "POST", path: "/api/workspaces", token, body })];
  const play = async (count: number) => {
    const { statuses, seconds } = await run.client.play({ ports: [run.port], connections: CLIENTS, count, requests });
    if (statuses[201] !== count) throw new Error(`16 clients that create: ${JSON.stringify(statuses)}`);
    return count / seconds;
  };
  const set = async (state: "enable" | "disable") => {
    for (const table of ["workspaces", "activity_events"]) {
      await of.workspace(`alter table workspace.${table} ${state} trigger ${table}_insert_count`);
    }
  };
  let rate = await play(CLIENTS);
  const measured = await interleave(SIDES, run.rounds, async (side) => {
    await set(side === "counted" ? "enable" : "disable");
    await play(CLIENTS);
    rate = await play(Math.max(CLIENTS, Math.round(rate * run.seconds * PART_OF_SECONDS)));
    return rate;
  });
  await set("enable");
  const name = { part: "growth", what: `${CLIENTS} clients create`, program: "all" };
  const [counted = [], others = []] = SIDES.map((side) => measured.get(side) ?? []);
  run.recorder.record({ ...name, side: "counted", unit: "requests per second" }, counted);
  run.recorder.record({ ...name, side: "not counted", unit: "requests per second" }, others);
  const ratios = counted.map((value, round) => value / (others[round] ?? Number.NaN));
  run.recorder.record({ ...name, side: "counted / not counted", unit: "ratio" }, ratios);
}
