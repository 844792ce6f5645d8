import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { scheduleFairly } from "./limits/schedule-fairly.ts";
import { type Address, listen } from "./listen.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";

export interface OperatorServerOptions {
  readonly host: string;
  /** The port; 0 lets the system choose. */
  readonly port: number;
  readonly readiness: () => Promise<Readiness>;
  readonly telemetry: Telemetry;
  /** The most open connections; 64 if absent. */
  readonly connections?: number | undefined;
  /** Milliseconds of a connection, from its first byte to its last; 10,000 if absent. */
  readonly connectionMs?: number;
  /** Pages besides `/healthz`, `/readyz` and `/metrics`; none if absent. */
  readonly pages?: OperatorPages;
}

interface OperatorServer extends Address {
  stop(): Promise<void>;
}

export interface Readiness {
  readonly ready: boolean;
  /** The lines of `/readyz`, followed by the conditions that require an operator. */
  readonly lines: readonly string[];
}

/** The readiness of a program that starts: it waits for Postgres, migrates, or opens its port. */
export const STARTING: Readiness = { ready: false, lines: ["starting"] };

/** The readiness of a program that drains: it still serves, while load balancers send new requests elsewhere. */
export const STOPPING: Readiness = { ready: false, lines: ["stopping"] };

/** The pages by path. */
export type OperatorPages = ReadonlyMap<string, () => Promise<OperatorPage>>;

export interface OperatorPage {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** Headers besides the content type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes the body, instead of `body`. Returns the function that ends it when the connection closes. */
  readonly stream?: (stream: PageStream) => () => void;
}

/** A body that is written in parts. */
export interface PageStream {
  /** Writes a part. Drops it if the client has not yet read the one before: a later part replaces it. */
  write(text: string): void;
  end(): void;
}

/**
 * Serves the pages for operators on a port of their own, which no client reaches. A connection serves one request and
 * lasts 10 seconds at most, whatever its client does; one connection too many closes the oldest. So slow clients cost
 * little, and never keep a probe out: a kubelet that gets no reply restarts the pod.
 *
 * @throws Error if the port is in use
 */
export async function startOperatorServer(options: OperatorServerOptions): Promise<OperatorServer> {
  const { connections = 64, connectionMs = 10_000 } = options;
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES });
  server.on("request", scheduleFairly(server, servePages(options)));
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    const late = setTimeout(() => socket.destroy(), connectionMs).unref();
    open.add(socket);
    socket.once("close", () => {
      clearTimeout(late);
      open.delete(socket);
    });
    const [oldest] = open;
    if (open.size > connections) oldest?.destroy(); // protects: oldest-evicted
  });
  const { url, port, close } = await listen(server, options.host, options.port, 1);
  const stop = async () => {
    const closed = close();
    for (const socket of open) socket.destroy();
    await closed;
  };
  return { url, port, stop };
}

/** The most bytes of the headers of a request. A probe has a few hundred. */
const MAX_HEADER_BYTES = 8_192;

function servePages({ readiness, telemetry, pages: more = new Map() }: OperatorServerOptions) {
  const pages = new Map([...createOperatorPages(readiness, telemetry), ...more]);
  const replyTo = async ({ url = "", method = "" }: IncomingMessage): Promise<OperatorPage> => {
    const page = pages.get(url.split("?", 1)[0] ?? "");
    if (page === undefined) return text(404, "no such path\n");
    return READING.has(method) ? await page() : text(405, "method not allowed\n");
  };
  return (request: IncomingMessage, response: ServerResponse): void => {
    response.shouldKeepAlive = false;
    replyTo(request).then(
      (content) => write(response, content),
      (err: unknown) => {
        telemetry.log.error({ err }, "operator page failed");
        write(response, text(500, "internal error\n"));
      },
    );
  };
}

const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);

const text = (status: number, body: string): OperatorPage => ({
  status,
  contentType: "text/plain; charset=utf-8",
  body,
});

function write(response: ServerResponse, { status, contentType, headers, body, stream }: OperatorPage): void {
  const allow = status === 405 ? { allow: [...READING].join(", ") } : {};
  response.writeHead(status, {
    "content-type": contentType,
    "x-content-type-options": "nosniff",
    ...headers,
    ...allow,
  });
  if (stream === undefined || response.req.method === "HEAD") {
    response.end(body);
    return;
  }
  const stop = stream({
    write: (text) => {
      if (!response.writableNeedDrain) response.write(text);
    },
    end: () => response.end(),
  });
  response.once("close", stop);
}

/** Creates `/healthz` (the process is alive), `/readyz` (it can do its work) and `/metrics` (Prometheus). */
function createOperatorPages(readiness: () => Promise<Readiness>, { metrics, conditions }: Telemetry): OperatorPages {
  return new Map([
    ["/healthz", async () => healthPage],
    [
      "/readyz",
      async () => {
        const { ready, lines } = await readiness();
        const all = [...lines, ...conditions.list().map(({ name, message }) => `${name}: ${message}`)];
        return { status: ready ? 200 : 503, contentType: TEXT, body: `${all.join("\n")}\n` };
      },
    ],
    ["/metrics", async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.metrics() })],
  ]);
}

const TEXT = "text/plain; charset=utf-8";

/** The page of a process that responds. It is the same at any time, so it may be shown to any client. */
export const healthPage: OperatorPage = { status: 200, contentType: TEXT, body: "ok\n" };

/**
 * Shares one check among all its callers: a call within a second of the last check gets its result, also while it is
 * still running. So 200 probes, or as many watchers, cost one statement a second. A rejection is shared like a result.
 */
export function atMostOncePerSecond<T>(check: () => Promise<T>, now = () => performance.now()): () => Promise<T> {
  let last: { readonly beganAt: number; readonly result: Promise<T> } | undefined;
  let isRunning = false;
  return () => {
    if (last === undefined || (!isRunning && now() - last.beganAt >= INTERVAL_MS)) {
      isRunning = true;
      last = { beganAt: now(), result: check().finally(() => (isRunning = false)) };
    }
    return last.result;
  };
}

/** Milliseconds between the beginnings of two checks. */
const INTERVAL_MS = 1_000;
