import { setTimeout as delay } from "node:timers/promises";
import { banner } from "./banner.ts";
import type { LocalSettings } from "./local-settings.ts";
import { startLocal } from "./start-local.ts";

/**
 * Starts everything, shows the banner, and stops everything when `stopRequested` settles, be it during the start.
 * @throws LocalServerError with one line for people
 */
export async function runLocal(
  settings: LocalSettings,
  stopRequested: Promise<void>,
  tell: (line: string) => void,
): Promise<void> {
  const starting = startLocal(settings, tell);
  const started = await Promise.race([starting, stopRequested]);
  if (started !== undefined) {
    tell(banner(started, settings.folder));
    await stopRequested;
    tell("stopping (Ctrl-C once more to force)");
    await started.stop();
    return;
  }
  // Stopped while starting: the step under way may take long (a download); the servers end with this process anyway.
  const graceMs = 3_000;
  const startedLate = starting.then((local) => local.stop()).catch(() => undefined);
  await Promise.race([startedLate, delay(graceMs)]);
}
