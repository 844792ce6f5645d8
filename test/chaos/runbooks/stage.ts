import { type Program, waitFor } from "@cloud/testkit";
import { type RestClients, restClients } from "../../e2e/rest.ts";
import { type LinkedRecords, seedLinkedRecords } from "../linked-records/linked-records.ts";
import { readConditions } from "../system/read-conditions.ts";
import { readMetric } from "../system/read-metric.ts";
import { openShell, type Shell } from "./cluster/shell.ts";
import { type Cluster, startCluster } from "./cluster/start-cluster.ts";
import { EXCEPTIONS } from "./pages/exceptions.ts";
import { openPlaybook, type Playbook } from "./pages/playbook.ts";
import { readPages } from "./pages/read-blocks.ts";

/** A running system, and the pages that are played against it. */
export interface Stage {
  readonly cluster: Cluster;
  readonly rest: RestClients;
  readonly book: Playbook;
  /** Opens the page with variables of the shell. */
  open(page: string, variables: Readonly<Record<string, string>>): Player;
  stop(): Promise<void>;
}

export interface Player {
  readonly shell: Shell;
  /** Runs the next block of the page, of `sh`. Returns its output. @throws Error if it fails */
  run(fragment: string): Promise<string>;
  /** Runs the next block of the page, of `sql`. Returns its rows. */
  query(fragment: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A fault, the blocks of a page, and what the page says about its end. */
export type Scenario = (stage: Stage) => Promise<void>;

export const DEADLINE = { deadlineMs: 30_000 };

export async function startStage(): Promise<Stage> {
  const cluster = await startCluster();
  const { system, nats, controlPlane } = cluster;
  const book = openPlaybook(readPages(), EXCEPTIONS);
  const env = {
    ...controlPlane.env,
    GATEWAY: system.demo.gateway,
    NATS_MONITOR: nats.monitor,
    NATS_URL: nats.plainUrl,
    NATS_USER: "operator",
    NATS_PASSWORD: nats.operatorPassword,
  };
  return {
    cluster,
    book,
    rest: restClients(system.demo),
    open: (page, variables) => {
      const shell = openShell(env, system.databaseUrl);
      shell.set(variables);
      return {
        shell,
        run: async (fragment) => {
          const { language, text } = book.next(page, fragment);
          if (language !== "sh") throw new Error(`${page}: a block of ${language} is not for sh: ${text}`);
          const { code, stdout, stderr } = await shell.run(text);
          if (code !== 0) throw new Error(`${page}: exit code ${code} of ${text}\n${stdout}${stderr}`);
          return stdout;
        },
        query: async (fragment) => {
          const { language, text } = book.next(page, fragment);
          if (language !== "sql") throw new Error(`${page}: a block of ${language} is not for psql: ${text}`);
          return await shell.query(text);
        },
      };
    },
    stop: () => cluster.stop(),
  };
}

const podsOf = ({ cluster }: Stage, service: string): readonly Program[] =>
  cluster
    .deployment(service)
    .pods()
    .map(({ program }) => program);

/** Waits until the sum of a metric over the pods of a service is as wanted. */
export async function metricBecomes(
  stage: Stage,
  service: string,
  name: string,
  isWanted: (sum: number) => boolean,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  const look = async () => {
    const values = await Promise.all(podsOf(stage, service).map((program) => readMetric(program, name, labels)));
    const sum = values.reduce((total, value) => total + value, 0);
    if (!isWanted(sum)) throw new Error(`${name} of ${service} is ${sum}`);
    return true;
  };
  await waitFor(look, DEADLINE);
}

/** Waits until every pod of a service has exactly these conditions. */
export async function conditionsBecome(stage: Stage, service: string, wanted: readonly string[]): Promise<void> {
  const look = async () => {
    for (const program of podsOf(stage, service)) {
      const lines = await readConditions(program);
      const names = lines.map((line) => line.split(":")[0] ?? "");
      if (names.join() !== wanted.join()) throw new Error(`${program.name} has the conditions ${lines.join("\n")}`);
    }
    return true;
  };
  await waitFor(look, DEADLINE);
}

/** Creates environments that are linked to a workspace. */
export const seedLinks = ({ cluster: { system, databases } }: Stage, environments: number): Promise<LinkedRecords> =>
  seedLinkedRecords(system, databases, { environments, teams: 0 });

/** Waits until no workspace is linked to the environments. */
export async function linksEnd({ cluster: { databases } }: Stage, environments: readonly string[]): Promise<void> {
  const count = "select from workspace.assignments where resource_id = any($1)";
  await waitFor(async () => (await databases.query(count, [environments])).length === 0 || undefined, DEADLINE);
}

/** Deletes environments by the API, as an Org Admin. */
export async function deleteEnvironments({ rest }: Stage, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { status } = await rest.orgAdmin.delete(`/environments/${id}`);
    if (status !== 204) throw new Error(`the deletion of an environment is ${status}`);
  }
}

/** Waits for events to be published and applied. */
export const drained = ({ cluster: { databases } }: Stage) => databases.drained(DEADLINE.deadlineMs);
