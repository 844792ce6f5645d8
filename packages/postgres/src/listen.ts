import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { assertSchemaName, connectionSettings } from "./connection-settings.ts";
import type { Database } from "./open-database.ts";
import type { Log } from "./sql.ts";

export interface ListenOptions {
  db: Database;
  channel: string;
  /** Also called after each (re)connect, because notifications sent meanwhile are lost. */
  onNotification: () => void;
  log: Log;
}

/** Hears a channel of NOTIFY on a connection of its own, which it opens again for ever. */
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
    await hearOnce(options, stop).catch((error: unknown) =>
      options.log.warn({ err: error, channel: options.channel }, "the connection that listens to Postgres was lost"),
    );
    await wait(500, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Connects, listens, and returns on `stop`; throws when the connection is lost. */
async function hearOnce({ db, channel, onNotification }: ListenOptions, stop: AbortSignal): Promise<void> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  ended.catch(() => undefined);
  const limits = { connectTimeoutMs: 2000, statementTimeoutMs: 5000 };
  const { url, schema } = db;
  const client = new pg.Client(connectionSettings({ url, schema, applicationName: `listen ${channel}`, ...limits }));
  client.on("error", reject);
  client.on("end", resolve);
  client.on("notification", onNotification);
  const onStop = () => resolve();
  stop.addEventListener("abort", onStop, { once: true });
  try {
    await client.connect();
    await client.query("listen " + assertSchemaName(channel));
    onNotification();
    await ended;
  } finally {
    stop.removeEventListener("abort", onStop);
    await client.end().catch(() => undefined);
  }
}
