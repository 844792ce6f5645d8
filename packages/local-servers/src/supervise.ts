import { setTimeout as delay } from "node:timers/promises";
import { LocalServerError } from "./server-process.ts";

/** A server from a start to its end, as returned by `startPostgres` and `startNats`. */
export interface WatchedServer {
  /** Settles when it has ended, with the reason: `SIGKILL`, or `exit code 1`. */
  readonly ended: Promise<string>;
  readonly logFile: string;
  stop(): Promise<void>;
}

export interface SuperviseOptions {
  /** The name in messages: Postgres, nats-server. */
  name: string;
  /** The running server. */
  server: WatchedServer;
  /** Starts the next life on the same port and folder; gives up early when `signal` aborts. */
  start: (signal: AbortSignal) => Promise<WatchedServer>;
  /** Receives a line for each end, with the path of the server's log, and one when it runs again. */
  log: (line: string) => void;
  /** Called once, with the reason, when the server has used up its starts. */
  giveUp: (error: LocalServerError) => void;
  /** Aborted when everything stops: from then on an end is neither reported nor followed by a start. */
  signal: AbortSignal;
}

export interface SupervisedServer {
  /** Stops watching, aborts a pending start, and stops the server. Idempotent. */
  stop(): Promise<void>;
}

const MAX_STARTS = 3;
const WINDOW_MS = 60_000;
/**
 * Milliseconds to wait after an end: whatever ends all processes at once (systemd, a shutdown) may reach the server a
 * moment before it reaches us.
 */
const DELIBERATE_MS = 100;
/** Milliseconds between failed starts: a port taken by another program may become free again. */
const PAUSE_MS = 2_000;

/** Watches a server and restarts it when it ends, at most 3 times within a minute. */
export function supervise({ name, server, start, log, giveUp, signal }: SuperviseOptions): SupervisedServer {
  const stopped = new AbortController();
  const stopping = AbortSignal.any([signal, stopped.signal]);
  const pause = (ms: number) => delay(ms, undefined, { signal: stopping }).catch(() => undefined);
  const takeStart = limitStarts();
  let life = server;

  const watch = async () => {
    for (;;) {
      const how = await endOf(life, stopping); // protects: servers-watched
      if (how !== undefined) await pause(DELIBERATE_MS);
      if (how === undefined || stopping.aborted || !(await startAgain(`ended (${how})`))) return;
    }
  };

  /** Returns false if it was stopped meanwhile, or has used up its starts. */
  const startAgain = async (what: string): Promise<boolean> => {
    const where = `Its log: ${life.logFile}`;
    if (!takeStart()) {
      const message = `${name} ${what}, after ${MAX_STARTS} new starts within a minute. ${where}`;
      giveUp(new LocalServerError("SERVER_ENDED", message));
      return false;
    }
    log(`${name} ${what}: starting it again. ${where}`);
    try {
      life = await start(stopping);
      log(`${name} runs again`);
      return true;
    } catch (error) {
      await pause(PAUSE_MS);
      return !stopping.aborted && startAgain(`did not start (${withoutStop((error as Error).message)})`);
    }
  };

  const watching = watch();
  const stop = async () => {
    stopped.abort();
    await watching;
    await life.stop();
  };
  return { stop };
}

/** Returns how the server ended; undefined if it was stopped before. */
async function endOf({ ended }: WatchedServer, stopping: AbortSignal): Promise<string | undefined> {
  if (stopping.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const onAbort = () => resolve(undefined);
  stopping.addEventListener("abort", onAbort, { once: true });
  const how = await Promise.race([ended, promise]);
  stopping.removeEventListener("abort", onAbort);
  return how;
}

/** Returns a function that returns true at most `MAX_STARTS` times within `WINDOW_MS`. */
function limitStarts(): () => boolean {
  let recent = 0;
  return () => {
    if (recent >= MAX_STARTS) return false; // protects: starts-limited
    recent += 1;
    setTimeout(() => {
      recent -= 1;
    }, WINDOW_MS).unref();
    return true;
  };
}

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, "");
