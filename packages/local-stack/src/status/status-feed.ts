import type { PageStream } from "@cloud/program";
import { type SystemSample, takeSnapshot } from "./take-snapshot.ts";

const EVERY_MS = 1_000;
/** Rates and percentiles are of this time. */
const WINDOW_MS = 10_000;
/**
 * With the first event after so long the stream ends, before the operator's port closes the connection at its age, 10 s: a
 * snapshot may take seconds on a busy machine. The page opens another one after `RETRY_MS`.
 */
const LASTS_MS = 5_000;
const RETRY_MS = 250;

/** Who reads the stream of one connection. */
interface Viewer {
  readonly stream: PageStream;
  readonly endsAt: number;
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
        if (performance.now() >= viewer.endsAt) viewer.stream.end();
      }
    } catch (error) {
      onError(error);
    } finally {
      isBusy = false;
    }
  };
  return (stream) => {
    const viewer = { stream, endsAt: performance.now() + LASTS_MS };
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
