import { readFileSync } from "node:fs";
import { waitFor } from "@cloud/testkit";
import { processTree } from "@cloud/testkit/faults";
import pg from "pg";
import type { System } from "../../test/chaos/system/start-system.ts";
import type { Contestant } from "../harness/contestant.ts";
import { cpuMsOf, cpuMsOfTree } from "../harness/cpu-time.ts";
import type { Peer } from "../harness/start-peer.ts";
import type { Chain } from "./chain/start-chain.ts";
import type { Links } from "./links.ts";

/** The database and the stream serve both contestants, so they are not in the sum. */
const APART = ["postgres", "nats"];

export interface Shared {
  readonly postgres: number;
  readonly nats: number;
}

/** Returns the processes that the system's programs depend on. */
export async function findShared({ databaseUrl }: System): Promise<Shared> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>("show data_directory");
  await client.end();
  const postgres = Number(readFileSync(`${rows[0]?.data_directory}/postmaster.pid`, "utf8").split("\n")[0]);
  const nats = processTree(process.pid).find((pid) => readFileSync(`/proc/${pid}/comm`, "utf8") === "nats-server\n");
  return { postgres, nats: nats ?? 0 };
}

/** Creates the contestant of our gateway and services. */
export function systemContestant(system: System, shared: Shared, links: Links): Contestant {
  return {
    name: "cloud",
    port: system.gateway.port,
    apart: APART,
    cpu: () => {
      const programs = system.programs.map((program) => [program.name, cpuMsOf(program.pid() ?? 0)] as const);
      return { ...Object.fromEntries(programs), ...cpuOf(shared) };
    },
    settled: async () =>
      void (await waitFor(async () => (await links.allPublished()) || undefined, { deadlineMs: 60_000 })),
  };
}

export function monolithContestant(monolith: Peer, shared: Shared): Contestant {
  return {
    name: "monolith",
    port: monolith.port,
    apart: APART,
    cpu: () => ({ monolith: cpuMsOf(monolith.pid), ...cpuOf(shared) }),
  };
}

/** The least that three programs can be. */
export function chainContestant({ gateway, workspace, identity }: Chain, shared: Shared): Contestant {
  return {
    name: "bare chain",
    port: gateway.port,
    apart: APART,
    cpu: () => ({
      gateway: cpuMsOf(gateway.pid),
      workspace: cpuMsOf(workspace.pid),
      identity: cpuMsOf(identity.pid),
      ...cpuOf(shared),
    }),
  };
}

const cpuOf = ({ postgres, nats }: Shared) => ({ postgres: cpuMsOfTree(postgres), nats: cpuMsOf(nats) });
