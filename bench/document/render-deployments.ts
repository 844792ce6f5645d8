import type { Figure } from "../harness/figures.ts";
import { table } from "./table.ts";

/** The share of each request in a day of a deployment; assumed, not measured. */
const MIX: Readonly<Record<string, number>> = {
  "GET one": 0.6,
  "list of 25": 0.25,
  "environments of a workspace": 0.09,
  create: 0.03,
  "assign team": 0.02,
  "remove team": 0.01,
};

/** Requests a second of today's load, and how many times as many. */
const [TODAY, TIMES] = [100, [1, 10, 100]];
/** The share of a core that is planned for; the rest is for peaks. */
const PLANNED = 0.6;
/** The least replicas of a program: one may be stopped at any time. */
const LEAST = 2;
/** The most connections of a replica to Postgres: 10 for requests, 8 for events, one for rate limits. */
const CONNECTIONS = 19;
const PROGRAMS = ["gateway", "workspace", "identity", "environment"];

/** Renders what a deployment needs, computed from the costs of the whole path. Empty if they were not measured. */
export function renderDeployments(figures: readonly Figure[]): string {
  const path = figures.filter(({ part, side }) => part === "path" && side === "cloud");
  const cost = (program: string) =>
    Object.entries(MIX).reduce((sum, [what, share]) => sum + share * medianOf(path, what, program), 0);
  const memory = (program: string) => medianOf(path, "most resident memory", program);
  const rows = TIMES.map((times) => {
    const perSecond = TODAY * times;
    const coresOf = (program: string) => (perSecond * cost(program)) / 1e6;
    const replicasOf = (program: string) => Math.max(LEAST, Math.ceil(coresOf(program) / PLANNED));
    const total = PROGRAMS.reduce((sum, program) => sum + coresOf(program), 0);
    const megabytes = PROGRAMS.reduce((sum, program) => sum + replicasOf(program) * memory(program), 0);
    const services = PROGRAMS.filter((program) => program !== "gateway");
    const connections = services.reduce((sum, program) => sum + replicasOf(program) * CONNECTIONS, 0);
    return [
      `${times}×, ${perSecond.toLocaleString("en-US")}/s`,
      PROGRAMS.map((program) => `${program} ${replicasOf(program)}`).join(", "),
      total.toFixed(2),
      `${(megabytes / 1024).toFixed(1)} GB`,
      coresOf("postgres").toFixed(2),
      String(connections),
      coresOf("nats").toFixed(2),
    ];
  });
  return table(["Load", "Replicas", "Cores used", "Memory", "Cores of Postgres", "Connections", "Cores of NATS"], rows);
}

function medianOf(figures: readonly Figure[], what: string, program: string): number {
  return figures.find((figure) => figure.what === what && figure.program === program)?.median ?? 0;
}
