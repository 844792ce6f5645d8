import { waitFor } from "@cloud/testkit";
import { takeCensus, unknownReferences } from "../census/take-census.ts";
import { conditionsOf } from "../system/conditions-of.ts";
import { readMetric } from "../system/read-metric.ts";
import { SERVICES, type ServiceName, type System } from "../system/start-system.ts";
import type { SystemDatabases } from "../system/system-databases.ts";
import { runRunbook } from "./runbook.ts";

/** Output of the operator's commands for a service. */
export interface Listed {
  readonly service: ServiceName;
  /** The references, in the format of `unknownReferences`. */
  readonly references: readonly string[];
  /** Published deletions whose owner does not have the record. */
  readonly parked: number;
  readonly count: number;
}

const DEADLINE_MS = 30_000;
/** `workspace-team 0198…`: the last word of the kind is the kind of the record. */
const LINE = /^([a-z]+)-([a-z]+) ([0-9a-f-]{36})$/gm;

/** Lists the references of each service that are unknown to their owner, by the command of the runbook. */
export async function listUnknown(system: System): Promise<Listed[]> {
  return await Promise.all(
    SERVICES.map(async (service) => {
      const printed = await runRunbook(system, service, "listUnknown");
      const lines = [...printed.matchAll(LINE)].map(([, first, kind, id]) => ({ first, kind, id }));
      const references = lines
        .filter(({ first }) => first !== "parked")
        .map(({ kind, id }) => `${service}: ${kind} ${id}`);
      const count = Number(/^(\d+) would be ended, for good/m.exec(printed)?.[1] ?? 0);
      return { service, references, parked: lines.length - references.length, count };
    }),
  );
}

/** Deletes the listed references, by the command of the runbook. */
export async function endUnknown(system: System, listed: readonly Listed[]): Promise<void> {
  for (const { service, count } of listed.filter((one) => one.count > 0)) {
    const printed = await runRunbook(system, service, "endUnknown", { COUNT: String(count) });
    if (!printed.includes(`${count} ended`)) throw new Error(printed);
  }
}

/** Waits until the metrics of every replica match the list, and conditions exist exactly where it is not empty. */
export async function reportedUnknown(system: System, listed: readonly Listed[]): Promise<void> {
  const programs = listed.flatMap((one) => system.services[one.service].map((program) => ({ ...one, program })));
  const isReported = async () => {
    for (const { program, references, parked } of programs) {
      const counted = await readMetric(program, "reconciler_unknown_references");
      const conditions = (await conditionsOf(program)).filter((name) => name.startsWith("unknown-"));
      if (counted !== references.length) throw new Error(`${program.name} counts ${counted}, not ${references.length}`);
      if (conditions.length > 0 !== references.length + parked > 0) throw new Error(`${program.name}: ${conditions}`);
    }
    return true;
  };
  await waitFor(isReported, { deadlineMs: DEADLINE_MS });
}

/** Waits until nothing is unknown any more, and no service has a condition. */
export async function noneUnknown(system: System, databases: SystemDatabases): Promise<void> {
  await waitFor(async () => unknownReferences(await takeCensus(databases)).length === 0 || undefined, {
    deadlineMs: DEADLINE_MS,
  });
  const nothing = SERVICES.map((service): Listed => ({ service, references: [], parked: 0, count: 0 }));
  await reportedUnknown(system, nothing);
}
