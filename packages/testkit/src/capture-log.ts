import type { LogLine } from "./programs/start-program.ts";

/** Keeps the lines of a log that is written in this process. */
export function captureLog() {
  const lines: LogLine[] = [];
  return {
    destination: { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) },
    /** Returns those for one request. */
    of: (requestId: string) => lines.filter((line) => line["requestId"] === requestId),
    all: () => lines,
  };
}
