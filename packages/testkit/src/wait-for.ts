import { setTimeout as delay } from "node:timers/promises";

/**
 * Asks again and again, every 5 to 50 milliseconds, until `condition` answers something other than undefined; a
 * condition that throws is asked again too.
 * @throws Error after `deadlineMs` milliseconds, with what the condition threw last as its cause
 */
export async function waitFor<T>(
  condition: () => Promise<T | undefined> | T | undefined,
  { deadlineMs }: { deadlineMs: number },
): Promise<T> {
  const deadline = AbortSignal.timeout(deadlineMs);
  let cause: unknown;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 1.5, 50)) {
    try {
      const answer = await condition();
      if (answer !== undefined) return answer;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (deadline.aborted) break;
    await delay(pauseMs);
  }
  const said = cause instanceof Error ? `: ${cause.message}` : "";
  throw new Error(`what was waited for did not happen in ${deadlineMs} ms${said}`, { cause });
}
