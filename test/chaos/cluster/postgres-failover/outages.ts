import { createDemoClients } from "@cloud/local-stack";
import type { Load, Sample } from "@cloud/testkit/figures";
import { restFor } from "../../../e2e/rest.ts";
import type { Outcome } from "../../postgres-stops/mixed-load.ts";
import type { System } from "../../system/start-system.ts";

/** A failover, in milliseconds on the clock of the load. */
export interface Failover {
  readonly what: string;
  readonly from: number;
  /** When the other node accepted writes. */
  readonly promotedAt: number;
  /** When it had a standby again, and so the next failover could begin. */
  readonly until: number;
}

/** How long after a promotion programs may need, in milliseconds. */
export const RECONNECTED_MS = 10_000;

const WRITES = ["create team", "create environment", "create workspace", "create organization"];

/** Returns how long after the promotion each kind of write, of all three services, succeeded for the first time. */
export function reconnectedAfter(samples: readonly Sample<Outcome>[], { promotedAt }: Failover): number[] {
  return WRITES.map((what) => {
    const done = samples.filter(({ at, result }) => at >= promotedAt && result?.what === what && result.correct);
    return Math.round(Math.min(...done.map(({ at, ms }) => at + ms)) - promotedAt);
  });
}

/** Returns the requests that failed although no failover was under way, on a machine that is `factor` times slower. */
export function strayFailures(
  samples: readonly Sample<Outcome>[],
  failovers: readonly Failover[],
  factor: number,
): unknown[] {
  const isExcused = ({ at, ms }: Sample<Outcome>) =>
    failovers.some(({ from, promotedAt }) => at + ms >= from && at <= promotedAt + RECONNECTED_MS * factor);
  const failed = samples.filter((sample) => sample.result?.correct !== true && !isExcused(sample));
  return failed.map(({ at, result, error }) => ({ at, ...(result ?? { error }) }));
}

/** Counts requests by their status. */
export function statusesOf(samples: readonly Sample<Outcome>[]): Record<string, number> {
  const groups = Object.groupBy(samples, ({ result }) => String(result?.status));
  return Object.fromEntries(Object.entries(groups).map(([status, list = []]) => [status, list.length]));
}

/** Waits until so many more writes have been confirmed; returns how many more there are. */
export function confirmedSince(load: Load<Outcome>, from: number): number {
  return load.samples().filter(({ at, result }) => at >= from && result?.status === 201).length;
}

/** A token that both nodes have, since it was created before they were separated. */
export interface SharedToken {
  readonly id: string;
  /** Sends requests with it to all services in turn; returns their statuses. */
  use(count: number): Promise<number[]>;
}

export async function createSharedToken({ demo }: System): Promise<SharedToken> {
  const { token, secret } = await createDemoClients(demo).tokens.createToken({
    name: "revoked on the new primary",
    userId: demo.users.orgAdmin.id,
  });
  const rest = restFor(demo, secret);
  const organization = demo.organizations[0]?.id;
  const paths = ["/workspaces", "/environments", "/identity/teams"].map((path) => `${path}?orgId=${organization}`);
  return {
    id: token?.id ?? "",
    use: async (count) => {
      const statuses: number[] = [];
      while (statuses.length < count) statuses.push((await rest.get(paths[statuses.length % 3] ?? "")).status);
      return statuses;
    },
  };
}
