import { setTimeout as wait } from "node:timers/promises";
import type { Conditions } from "@cloud/runtime/telemetry";
import { connectionSettings, timeLimits } from "./connection-settings.ts";
import type { Database } from "./open-database.ts";
import { PostgresClient } from "./postgres-client.ts";
import { type Log, nameInSql, sql } from "./statement.ts";
import { type ConnectionWatch, watchConnections } from "./watch-connections.ts";

export interface ListenOptions {
  db: Database;
  channel: string;
  /** Called for each notification, and after each (re)connect, because notifications sent meanwhile are lost. */
  onNotification: () => void;
  log: Log;
  /** Raised while the login is refused or the server is read-only; absent in tests and commands. */
  conditions?: Conditions | undefined;
}

/** LISTENs on a dedicated connection and reconnects indefinitely, 500 ms after each loss, until `stop`. */
export function listen(options: ListenOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = run(options, stopping.signal);
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

async function run(options: ListenOptions, stop: AbortSignal): Promise<void> {
  const { db, channel, conditions, log } = options;
  const watch = watchConnections({ url: db.directUrl, pooled: false, conditions });
  while (!stop.aborted) {
    await listenOnce(options, watch, stop).catch((error: unknown) => {
      watch.onFault(error);
      log.warn({ err: error, channel }, "the connection that listens to Postgres was lost");
    });
    await wait(500, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Longer than the time limit of a statement (4 s), so that two never overlap. */
const HEARTBEAT_MS = 5000;

/** Connects, listens, and returns on `stop`; throws when the connection is lost or the server does not respond. */
async function listenOnce(
  { db, channel, onNotification }: ListenOptions,
  watch: ConnectionWatch,
  stop: AbortSignal,
): Promise<void> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  ended.catch(() => undefined);
  const limits = { connectTimeoutMs: timeLimits.connectMs, statementTimeoutMs: timeLimits.statementMs };
  const { directUrl: url, schema } = db;
  const client = new PostgresClient(
    connectionSettings({ url, schema, applicationName: `listen ${channel}`, ...limits }),
  );
  client.on("error", reject);
  client.on("end", resolve);
  client.on("notification", onNotification);
  const onStop = () => resolve();
  stop.addEventListener("abort", onStop, { once: true });
  let heartbeat: NodeJS.Timeout | undefined;
  try {
    await client.connect();
    client.assertWritable();
    watch.onConnected();
    await client.query(sql`listen ${nameInSql(channel)}`);
    onNotification();
    const beat = async () => {
      await client.query(sql`select 1`);
      client.assertWritable();
    };
    heartbeat = setInterval(() => void beat().catch(reject), HEARTBEAT_MS);
    await ended;
  } finally {
    clearInterval(heartbeat);
    stop.removeEventListener("abort", onStop);
    // An unresponsive server does not confirm the close either.
    const goodbye = client.end().catch(() => undefined);
    await Promise.race([goodbye, wait(timeLimits.goodbyeMs, undefined, { ref: false })]);
  }
}
