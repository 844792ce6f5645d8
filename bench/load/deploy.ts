import { readFileSync } from "node:fs";
import { processTree } from "@cloud/testkit/faults";
import { type System, type SystemOptions, startSystem } from "../../test/chaos/system/start-system.ts";
import { cpuMsOf, cpuMsOfTree } from "../harness/cpu-time.ts";
import { IMAGE_ENVIRONMENT } from "../harness/image-environment.ts";
import { writeRequest } from "../harness/load.ts";
import { findShared } from "../path/system-contestant.ts";
import { requestersOf, seedTenants, type Tenant } from "../path/tenants.ts";
import type { Side } from "./side.ts";

export interface Deployment extends Side {
  readonly system: System;
  readonly postgres: number;
}

export interface DeployOptions extends Pick<SystemOptions, "mainOf" | "proxied"> {
  readonly name: string;
  /** The number of replicas of each program, and of cores. */
  readonly replicas: number;
}

/** Starts all programs, with a Postgres and a nats-server of their own. A balancer runs in this process. */
export async function deploy({ name, replicas, ...options }: DeployOptions): Promise<Deployment> {
  const others = new Set(processTree(process.pid));
  // Passes of the reconcilers would be measured.
  const env = { ...IMAGE_ENVIRONMENT, RECONCILER_INTERVAL_MS: "600000" };
  const system = await startSystem({ ...options, replicas, gateways: replicas, env });
  const tenants = await seedTenants(system);
  const { postgres } = await findShared(system);
  const pids = () => processTree(process.pid).filter((pid) => !others.has(pid));
  const nats = pids().find((pid) => readFileSync(`/proc/${pid}/comm`, "utf8") === "nats-server\n") ?? 0;
  const cpu = () => {
    const used: Record<string, number> = { postgres: cpuMsOfTree(postgres), nats: cpuMsOf(nats) };
    for (const program of system.programs) {
      used[program.name] = (used[program.name] ?? 0) + cpuMsOf(program.pid() ?? 0);
    }
    return used;
  };
  const ports = system.gateways.map(({ port }) => port);
  return { name, system, postgres, cores: replicas, pids, ports, requests: readsOf(tenants), cpu };
}

/** Reads a workspace for each user. */
const readsOf = (tenants: readonly Tenant[]): string[] =>
  requestersOf(tenants).map(({ token, workspace }) =>
    writeRequest({ method: "GET", path: `/api/workspaces/${workspace}`, token }),
  );
