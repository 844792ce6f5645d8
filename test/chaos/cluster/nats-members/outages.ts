import { connectToNats, waitFor } from "@cloud/testkit";
import { nanos, type PeerInfo } from "nats";
import type { SystemDatabases } from "../../system/system-databases.ts";
import { STREAM } from "../../system/with-jetstream.ts";
import type { NatsCluster, NatsMember } from "../servers/start-nats-cluster.ts";

/** The number of events. So many cannot all have been confirmed before the outage and only recorded after it. */
const ENOUGH = 20;

/** Returns the time of Postgres, whose clock stamps publications and effects. */
export async function databaseTime({ query }: SystemDatabases): Promise<string> {
  const [row] = await query<{ now: string }>("select (now() + interval '0.5 s')::text as now");
  return row?.now ?? "";
}

/** Waits until events that the stream confirmed after `since` are published and applied; returns the time taken. */
export async function eventsFlow(databases: SystemDatabases, since: string, deadlineMs: number): Promise<number> {
  const began = performance.now();
  const flow = async () => {
    const [row] = await databases.query<{ published: number; applied: number }>(countEvents, [since]);
    return row !== undefined && Math.min(row.published, row.applied) >= ENOUGH ? true : undefined;
  };
  await waitFor(flow, { deadlineMs });
  return Math.round(performance.now() - began);
}

const countEvents = `
  select
    (select count(*)::integer from identity.outbox where published_at > $1::timestamptz)
      + (select count(*)::integer from environment.outbox where published_at > $1::timestamptz)
      + (select count(*)::integer from workspace.outbox where published_at > $1::timestamptz) as published,
    (select count(*)::integer from workspace.inbox where received_at > $1::timestamptz) as applied`;

/** Returns the name of the member that leads the stream. */
export async function streamLeader({ url }: NatsCluster): Promise<string> {
  const connection = await connectToNats(url, { timeout: 2000 });
  try {
    const jsm = await connection.jetstreamManager();
    return (await jsm.streams.info(STREAM)).cluster?.leader ?? "";
  } finally {
    await connection.close();
  }
}

/**
 * Waits until the stream and each of its durables has a leader to which both other members have responded since
 * `restarted`, a time of `performance.now()`, and are up to date. Without that time, a leader counts as current a member
 * that has just been killed: what it last acknowledged was all that there was.
 */
export async function replicasCurrent({ url }: NatsCluster, restarted = 0): Promise<void> {
  const current = async () => {
    const connection = await connectToNats(url, { timeout: 2000, reconnect: false });
    try {
      const jsm = await connection.jetstreamManager();
      const asked = performance.now();
      const { cluster, state } = await jsm.streams.info(STREAM);
      const durables = await jsm.consumers.list(STREAM).next(); // it leaves out those without a leader
      if (durables.length < state.consumer_count) throw new Error(`${durables.length} of ${state.consumer_count}`);
      for (const group of [cluster, ...durables.map((durable) => durable.cluster)]) {
        const { leader, replicas = [] } = group ?? {};
        const isCurrent = (member: PeerInfo) =>
          member.current && !member.offline && member.active < nanos(asked - restarted);
        if (!leader || replicas.filter(isCurrent).length < 2) throw new Error(JSON.stringify(group));
      }
      return true;
    } finally {
      await connection.close();
    }
  };
  await waitFor(current, { deadlineMs: 60_000 });
}

/** Kills members, does `meanwhile`, restarts them and waits until every replica is up to date. */
export async function whileDead(
  cluster: NatsCluster,
  members: readonly NatsMember[],
  meanwhile: () => Promise<void>,
): Promise<void> {
  await Promise.all(members.map((member) => member.kill()));
  try {
    await meanwhile();
  } finally {
    await Promise.all(members.map((member) => member.start()));
  }
  await replicasCurrent(cluster, performance.now());
}
