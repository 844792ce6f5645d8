import { randomBytes } from "node:crypto";
import { waitFor } from "@cloud/testkit";
import type { RestartablePostgres } from "@cloud/testkit/faults";
import pg from "pg";
import { createPatroniNode, type PatroniNode } from "./patroni-node.ts";
import { startEtcd } from "./start-etcd.ts";
import { startHaproxy } from "./start-haproxy.ts";

/** A primary and its standby, which Patroni fails over, behind a balancer. */
export interface PatroniCluster {
  readonly nodes: readonly [PatroniNode, PatroniNode];
  /** The cluster as the server of a system: its URL is the balancer's. */
  readonly server: RestartablePostgres;
  leader(): Promise<PatroniNode>;
  /** Waits until another node accepts writes; returns it. */
  promoted(old: PatroniNode): Promise<PatroniNode>;
  /** Waits until the other node streams from the leader, and commits wait for it if they are to. */
  hasStandby(): Promise<void>;
  /** Makes the standby lead, as before an upgrade. */
  switchOver(): Promise<void>;
}

export interface ClusterOptions {
  /** Whether a commit waits for the standby. */
  readonly synchronous: boolean;
  /** Whether the balancer asks Patroni who leads; otherwise it uses the first node that accepts connections. */
  readonly followsLeader: boolean;
}

const HOST = "127.0.0.1";
const DEADLINE_MS = 60_000;

export async function startPatroniCluster({ synchronous, followsLeader }: ClusterOptions): Promise<PatroniCluster> {
  await using resources = new AsyncDisposableStack();
  const etcd = await startEtcd();
  resources.defer(etcd.stop);
  const password = randomBytes(18).toString("hex");
  const create = async (name: string) => {
    const node = await createPatroniNode({ name, etcd: etcd.address, password, synchronous });
    resources.defer(node.stop);
    return node;
  };
  const nodes = [await create("pg-0"), await create("pg-1")] as const;
  const [first, second] = nodes;
  await first.start();
  await waitFor(() => leads(first), { deadlineMs: DEADLINE_MS });
  await second.start();
  const leader = () => waitFor(async () => await firstThat(nodes, leads), { deadlineMs: DEADLINE_MS });
  const findStandby = () => firstThat(nodes, (node) => isStandby(node, synchronous));
  const hasStandby = async () => void (await waitFor(findStandby, { deadlineMs: DEADLINE_MS }));
  await hasStandby();
  const backends = nodes.map(({ name, port, restPort }) => ({
    name,
    port,
    checkPort: followsLeader ? restPort : port,
  }));
  const check = followsLeader ? { checkPath: "/primary" } : {};
  const haproxy = await startHaproxy([{ name: "postgres", backends, ...check }]);
  resources.defer(haproxy.stop);
  const port = haproxy.port("postgres");
  const superuserUrl = `postgresql://postgres:${password}@${HOST}:${port}/postgres`;
  // HAProxy takes every server for usable until its first checks have failed.
  const throughBalancer = async () => {
    const turns = await Promise.all(nodes.map(() => acceptsWrites({ superuserUrl })));
    return turns.every(Boolean) || undefined;
  };
  await waitFor(throughBalancer, { deadlineMs: DEADLINE_MS });
  const running = resources.move();
  return {
    nodes,
    leader,
    hasStandby,
    server: serverAt(port, superuserUrl, () => running.disposeAsync()),
    promoted: (old) =>
      waitFor(async () => await firstThat(nodes, async (node) => node !== old && (await acceptsWrites(node))), {
        deadlineMs: DEADLINE_MS,
      }),
    switchOver: async () => {
      const { name, restPort } = await leader();
      const body = JSON.stringify({ leader: name });
      const headers = { "content-type": "application/json" };
      const reply = await fetch(`http://${HOST}:${restPort}/switchover`, { method: "POST", headers, body });
      if (!reply.ok) throw new Error(`no switchover: ${reply.status} ${await reply.text()}`);
    },
  };
}

/** Whether Patroni has the lease of the leader for the node. */
async function leads({ restPort }: PatroniNode): Promise<true | undefined> {
  const reply = await fetch(`http://${HOST}:${restPort}/primary`, { signal: AbortSignal.timeout(1000) });
  return reply.status === 200 || undefined;
}

async function firstThat(
  nodes: readonly PatroniNode[],
  is: (node: PatroniNode) => Promise<boolean | undefined>,
): Promise<PatroniNode | undefined> {
  for (const node of nodes) if (await is(node).catch(() => false)) return node;
  return undefined;
}

async function acceptsWrites(node: Pick<PatroniNode, "superuserUrl">): Promise<boolean> {
  const [row] = await queryNode<{ recovers: boolean }>(node, "select pg_is_in_recovery() as recovers");
  return row?.recovers === false;
}

/** Patroni promotes a synchronous standby only once it has recorded it in etcd: `/synchronous`. */
async function isStandby({ restPort }: PatroniNode, synchronous: boolean): Promise<boolean> {
  const path = synchronous ? "synchronous" : "replica";
  return (await fetch(`http://${HOST}:${restPort}/${path}`, { signal: AbortSignal.timeout(1000) })).status === 200;
}

/** Reads a node directly, not through the balancer. */
export async function queryNode<Row extends pg.QueryResultRow>(
  { superuserUrl }: Pick<PatroniNode, "superuserUrl">,
  text: string,
  params: readonly unknown[] = [],
  database = "postgres",
): Promise<Row[]> {
  const url = new URL(superuserUrl);
  url.pathname = database;
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 1000, query_timeout: 3000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(text, [...params])).rows;
  } finally {
    void client.end().catch(() => undefined); // a frozen server does not confirm it
  }
}

function serverAt(port: number, superuserUrl: string, stop: () => Promise<void>): RestartablePostgres {
  const refuse = () => {
    throw new TypeError("the nodes of a cluster of Postgres are killed and started one by one");
  };
  return {
    superuserUrl,
    port,
    stop,
    stopImmediately: refuse,
    kill: refuse,
    start: refuse,
    pause: refuse,
    resume: refuse,
  };
}
