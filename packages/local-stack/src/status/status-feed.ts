import type { PageStream } from "@cloud/program";
import { type SystemSample, takeSnapshot } from "./take-snapshot.ts";

const EVERY_MS = 1_000;
/** Rates and percentiles are of this time. */
const WINDOW_MS = 10_000;
/**
 * After so many events the stream ends, before the operator's port closes the connection for its age. The page opens another
 * one after `RETRY_MS`.
 */
const MOST_EVENTS = 8;
const RETRY_MS = 250;

/** Who reads the stream of one connection. */
interface Viewer {
  readonly stream: PageStream;
  left: number;
}

/** Sends a snapshot to all viewers each second. It reads nothing while there is none. */
export function createStatusFeed(
  sample: () => Promise<SystemSample>,
  onError: (error: unknown) => void,
): (stream: PageStream) => () => void {
  const viewers = new Set<Viewer>();
  /** The oldest first. */
  let samples: SystemSample[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;

  const send = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      const now = await sample();
      samples = samples.filter(({ at }) => now.at - at <= WINDOW_MS);
      const data = `data: ${JSON.stringify(takeSnapshot(samples[0], now))}\n\n`;
      samples.push(now);
      for (const viewer of viewers) {
        viewer.stream.write(data);
        if (--viewer.left <= 0) viewer.stream.end();
      }
    } catch (error) {
      onError(error);
    } finally {
      isBusy = false;
    }
  };
  return (stream) => {
    const viewer = { stream, left: MOST_EVENTS };
    viewers.add(viewer);
    stream.write(`retry: ${RETRY_MS}\n\n`);
    timer ??= setInterval(() => void send(), EVERY_MS).unref();
    void send();
    return () => {
      viewers.delete(viewer);
      if (viewers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
}
