import { readFileSync } from "node:fs";
import type { OperatorPage, OperatorPages, PageStream, Readiness } from "@cloud/runtime";
import type { Telemetry } from "@cloud/runtime/telemetry";
import { readSample } from "./snapshot.ts";
import { type ProgramSample, type SystemSample, takeSnapshot } from "./take-snapshot.ts";

/** A program that the page shows. */
interface ObservedProgram {
  readonly telemetry: Telemetry;
  readonly readiness: () => Promise<Readiness>;
}

/** Creates the status page of all programs, and the stream of what it shows: `/status`. */
export function createStatusPages(programs: ReadonlyMap<string, ObservedProgram>): OperatorPages {
  const sample = async () => {
    const read = [...programs].map(async ([name, program]) => [name, await sampleOf(program)] as const);
    return { at: performance.now(), programs: new Map(await Promise.all(read)) };
  };
  const log = programs.get("gateway")?.telemetry.log;
  const stream = createStatusFeed(sample, (err) => log?.warn({ err }, "the status could not be read"));
  const headers = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  };
  const fileOf = ([path, file, type]: (typeof FILES)[number]): [string, () => Promise<OperatorPage>] => [
    path,
    async () => ({
      status: 200,
      contentType: `${type}; charset=utf-8`,
      headers,
      body: readFileSync(new URL(`page/${file}`, import.meta.url), "utf8"),
    }),
  ];
  const events = async () => ({ status: 200, contentType: "text/event-stream", headers, body: "", stream });
  return new Map([...FILES.map(fileOf), ["/status/events", events]]);
}

/** Nothing from elsewhere, nothing inline. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FILES = [
  ["/status", "status.html", "text/html"],
  ["/status/status.css", "status.css", "text/css"],
  ["/status/status.js", "status.js", "text/javascript"],
  ["/status/map.js", "map.js", "text/javascript"],
  ["/status/icon.svg", "icon.svg", "image/svg+xml"],
] as const;

async function sampleOf({ telemetry, readiness }: ObservedProgram): Promise<ProgramSample> {
  const [metrics, { ready }] = await Promise.all([readSample(telemetry.metrics), readiness()]);
  return { metrics, ready, conditions: telemetry.conditions.list().map(({ name, message }) => `${name}: ${message}`) };
}

/** Sends a snapshot to all viewers each second. It reads nothing while there is none. */
function createStatusFeed(
  sample: () => Promise<SystemSample>,
  onError: (error: unknown) => void,
): (stream: PageStream) => () => void {
  const viewers = new Set<Viewer>();
  /** The samples of the last `WINDOW_MS`, the oldest first. */
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

const EVERY_MS = 1_000;
/** The time that rates and percentiles cover, in milliseconds. */
const WINDOW_MS = 10_000;
/**
 * Milliseconds after which the next event ends the stream, before the operator's port closes the connection at its age,
 * 10 s: a snapshot may take seconds on a busy machine. The page opens another stream after `RETRY_MS`.
 */
const LASTS_MS = 5_000;
const RETRY_MS = 250;

/** The reader of the stream of one connection. */
interface Viewer {
  readonly stream: PageStream;
  readonly endsAt: number;
}
