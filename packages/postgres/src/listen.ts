import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { connectionSettings } from "./connection-settings.ts";
import type { Database } from "./open-database.ts";
import type { Log } from "./sql.ts";
import { nameInSql, sql } from "./sql-text.ts";
import { timeLimits } from "./time-limits.ts";

export interface ListenOptions {
  db: Database;
  channel: string;
  /** Also called after each (re)connect, because notifications sent meanwhile are lost. */
  onNotification: () => void;
  log: Log;
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
  while (!stop.aborted) {
    await listenOnce(options, stop).catch((error: unknown) =>
      options.log.warn({ err: error, channel: options.channel }, "the connection that listens to Postgres was lost"),
    );
    await wait(500, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Longer than the time limit of a statement (4 s), so that two never overlap. */
const HEARTBEAT_MS = 5000;

/** Connects, listens, and returns on `stop`; throws when the connection is lost or the server does not respond. */
async function listenOnce({ db, channel, onNotification }: ListenOptions, stop: AbortSignal): Promise<void> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  ended.catch(() => undefined);
  const limits = { connectTimeoutMs: timeLimits.connectMs, statementTimeoutMs: timeLimits.statementMs };
  const { directUrl: url, schema } = db;
  const client = new pg.Client(connectionSettings({ url, schema, applicationName: `listen ${channel}`, ...limits }));
  client.on("error", reject);
  client.on("end", resolve);
  client.on("notification", onNotification);
  const onStop = () => resolve();
  stop.addEventListener("abort", onStop, { once: true });
  let heartbeat: NodeJS.Timeout | undefined;
  try {
    await client.connect();
    await client.query(sql`listen ${nameInSql(channel)}`);
    onNotification();
    heartbeat = setInterval(() => void client.query(sql`select 1`).catch(reject), HEARTBEAT_MS);
    await ended;
  } finally {
    clearInterval(heartbeat);
    stop.removeEventListener("abort", onStop);
    // An unresponsive server does not confirm the close either.
    const goodbye = client.end().catch(() => undefined);
    await Promise.race([goodbye, wait(timeLimits.goodbyeMs, undefined, { ref: false })]);
  }
}
