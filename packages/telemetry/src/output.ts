import { setTimeout as delay } from "node:timers/promises";

/** Lines for standard output, in the order in which they are written. No call waits for whoever reads them. */
export interface Output {
  write(line: string): void;
  /** Resolves when all lines are written, or after 3 seconds, if nothing reads them. */
  flush(): Promise<void>;
}

/** Characters that wait for a reader. A pipe holds 64 KiB besides. */
const MAX_WAITING = 2 ** 20;
const FLUSH_MS = 3_000;

/**
 * Writes to a stream that does not block, such as `process.stdout`. If it is a pipe that is not read, lines beyond 1 MiB
 * are dropped, and `dropped` is called for each. A synchronous write stopped the process when the pipe was full: all its
 * requests and probes waited for the reader of its log.
 */
export function createOutput(stream: NodeJS.WriteStream, dropped: () => void): Output {
  // Of a reader that is gone, and a disk that is full: the program serves on.
  if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore);
  return {
    write: (line) => {
      if (stream.writableLength < MAX_WAITING) stream.write(line);
      else dropped();
    },
    flush: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      stream.write("", () => resolve());
      await Promise.race([promise, delay(FLUSH_MS)]);
    },
  };
}

const ignore = () => undefined;
