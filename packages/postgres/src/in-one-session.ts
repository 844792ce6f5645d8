import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { connectionSettings } from "./connection-settings.ts";
import { classifyFault, DatabaseUnavailable, isTlsRefusal } from "./database-unavailable.ts";
import type { Log } from "./sql.ts";

export interface SessionOptions {
  readonly url: string;
  readonly schema: string;
  readonly applicationName: string;
  /** Whether the URL names a pooler in transaction mode. */
  readonly pooled?: boolean;
  readonly log: Log;
}

const DEADLINE_MS = 30_000;

/**
 * Runs `work` in one session without a limit for its statements. Waits up to 30 s for a server that is starting: then
 * `work` runs again, from its beginning. Does not wait for one whose certificate is not accepted. @throws DatabaseUnavailable, or the error of `work`
 */
export async function inOneSession(options: SessionOptions, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  for (;;) {
    try {
      return await withSession(options, work);
    } catch (error) {
      const fault = classifyFault(error);
      if (!(fault instanceof DatabaseUnavailable) || isTlsRefusal(fault.cause) || deadline.aborted) throw fault;
      options.log.info({ err: fault.cause, schema: options.schema }, "migrations wait for Postgres");
      await wait(250);
    }
  }
}

/** Runs `work` in a session without a limit for its statements, which is closed afterwards. */
export async function withSession<T>(
  { url, schema, applicationName, pooled, log }: SessionOptions,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const limits = { connectTimeoutMs: 5000, statementTimeoutMs: 0 };
  const client = new pg.Client(connectionSettings({ url, schema, applicationName, pooled, ...limits }));
  client.on("error", () => undefined); // the running statement rejects with it
  client.on("notice", ({ severity, message }) => {
    if (severity === "WARNING") log.warn({ schema }, message ?? "");
  });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
