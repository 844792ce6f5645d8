import { setTimeout as delay } from "node:timers/promises";
import { banner } from "./banner.ts";
import type { LocalSettings } from "./local-settings.ts";
import { type LocalSystem, startLocal } from "./start-local.ts";

/** For the current step of a start, which may take long (a download); the servers end with this process anyway. */
const START_GRACE_MS = 3_000;
/** For the services when Postgres or NATS has stopped permanently. */
const FAILED_GRACE_MS = 10_000;

/**
 * Starts everything, prints the banner, and stops everything when `stopRequested` settles, even during the start, or
 * when a server keeps ending. @throws LocalServerError with one line for users
 */
export async function runLocal(
  settings: LocalSettings,
  stopRequested: Promise<void>,
  print: (line: string) => void,
): Promise<void> {
  const stopping = new AbortController();
  const failed = Promise.withResolvers<undefined>();
  const starting = startLocal(settings, { print, giveUp: failed.reject, signal: stopping.signal });
  const ended = Promise.race([stopRequested, failed.promise]).finally(() => stopping.abort());

  let started: LocalSystem | undefined;
  try {
    started = (await Promise.race([starting, ended])) ?? undefined;
    if (started === undefined) return;
    print(banner(started, settings.folder));
    await ended;
    print("stopping (Ctrl-C once more to force)");
    await started.stop();
  } catch (error) {
    // A failed start has stopped what it had started.
    await Promise.race([started?.stop(), delay(FAILED_GRACE_MS)]);
    throw error;
  } finally {
    const startedLate = starting.then((local) => local.stop()).catch(() => undefined);
    if (started === undefined) await Promise.race([startedLate, delay(START_GRACE_MS)]);
  }
}
