import { setTimeout as delay } from "node:timers/promises";
import { createTelemetry, type Telemetry } from "@cloud/runtime/telemetry";
import type { LogLine } from "./start-program.ts";

/** Keeps the lines of a log that is written in this process. */
export function captureLog() {
  const lines: LogLine[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) };
  return {
    destination,
    /** Creates telemetry that writes the log, with a line for each request. */
    telemetry: (service = "test") =>
      createTelemetry({ service, level: "info", destination, processMetrics: false, accessSample: 1 }),
    /** Returns the lines of one request. */
    of: (requestId: string) => lines.filter((line) => line["requestId"] === requestId),
    all: () => lines,
  };
}

/**
 * Creates separate telemetry for one test, which writes no log. Without the metrics of the process, whose timers and
 * observers last as long as the process, with all modules of the test file that created them.
 */
export function testTelemetry(): Telemetry {
  return createTelemetry({ service: "test", level: "silent", processMetrics: false });
}

/**
 * Calls `condition` every 5 to 50 milliseconds until it returns something other than undefined; if it throws, it is
 * called again too.
 *
 * @throws Error after `deadlineMs` milliseconds, with the last error of the condition as cause
 */
export async function waitFor<T>(
  condition: () => Promise<T | undefined> | T | undefined,
  { deadlineMs }: { deadlineMs: number },
): Promise<T> {
  const deadline = AbortSignal.timeout(deadlineMs);
  let cause: unknown;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 1.5, 50)) {
    try {
      const result = await condition();
      if (result !== undefined) return result;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (deadline.aborted) break;
    await delay(pauseMs);
  }
  const reason = cause instanceof Error ? `: ${cause.message}` : "";
  throw new Error(`what was waited for did not happen in ${deadlineMs} ms${reason}`, { cause });
}
