// `Pool` is not imported from the index of undici, which loads fetch, WebSocket and caches: 4 MB in an idle gateway.

import type { IncomingHttpHeaders } from "node:http";
import { fail } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { createSemaphore, createSemaphoreMetrics, type Release, type Semaphore } from "@cloud/runtime/limits";
import type { Telemetry } from "@cloud/runtime/telemetry";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Dispatcher } from "undici";
import Pool from "undici/lib/dispatcher/pool.js";
import { MAX_ANSWER_BYTES } from "../message-limits.ts";
import type { TlsFiles } from "../tls.ts";
import { connectInTime } from "./connect-in-time.ts";

/**
 * The most connections to a peer. Each call in flight takes one. A replica has 10 connections to Postgres, so that more
 * calls at once would only wait there instead of here.
 */
const MAX_CONNECTIONS = 128;
/** Idle time of a connection: less than the server's 65 s, so that no request is sent while the server closes it. */
const MAX_IDLE_MS = 30_000;

/**
 * The large replies of a peer are read one at a time, each followed by a pause as long as its conversion took. 20
 * requests of one user for pages of 6 MB, at 60 ms of the event loop each, made others wait for 10 s. A queued reply
 * holds one of the connections, and up to 16 MiB at the peer.
 */
const LARGE_REPLIES = { max: 1, maxQueue: 16, refusal: fail(Reason.OVERLOADED) };

type Request = Pick<Dispatcher.DispatchOptions, "path" | "headers" | "body">;

/**
 * The errors of undici for a silent peer. It counts in ticks of its own: a late process first reads what has arrived.
 */
const SILENCE: ReadonlySet<unknown> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/**
 * The connections to a peer, over HTTP/1.1. A peer that is silent while it owes a response fails the calls that wait
 * for it, and later calls go over new connections.
 */
export class PeerConnections {
  readonly #url: URL;
  readonly #tls: TlsFiles | undefined;
  readonly #silentMs: number;
  /** Queues the exchanges. In the pool's own queue, a newcomer that finds a free connection overtakes all others. */
  readonly #connections: Semaphore;
  readonly #largeReplies: Semaphore;
  #pool: Pool;

  /** A peer that sends nothing for `silentMs` milliseconds while it owes a reply counts as gone. */
  constructor(url: string, tls: TlsFiles | undefined, silentMs: number, measured?: Pick<Telemetry, "metrics">) {
    const metricsOf = (work: string) => measured && createSemaphoreMetrics(measured, work);
    this.#connections = createSemaphore({ max: MAX_CONNECTIONS }, metricsOf("calls"));
    this.#largeReplies = createSemaphore(LARGE_REPLIES, metricsOf("large-replies"));
    this.#url = new URL(url);
    this.#tls = tls;
    this.#silentMs = silentMs; // protects: peer-silence
    this.#pool = this.#open();
  }

  /** Begins an exchange, as soon as a connection is free. */
  begin(request: Request): HttpCall {
    const exchange = new HttpCall(this.#largeReplies);
    void this.#run(request, exchange);
    return exchange;
  }

  async #run(request: Request, exchange: HttpCall): Promise<void> {
    // An exchange that was ended while it waited needs no connection.
    const release = await this.#connections.acquire({ signal: exchange.signal }).catch(() => undefined);
    if (release === undefined) return;
    const pool = this.#pool;
    pool.dispatch({ ...request, method: "POST" }, exchange);
    await exchange.reply.catch((error: NodeJS.ErrnoException) => {
      if (SILENCE.has(error.code) && pool === this.#pool) this.#renew();
    });
    setImmediate(release); // the turn of the event loop in which the pool takes the connection back
  }

  /** Closes the connections and fails the calls in flight. */
  close(): void {
    this.#pool.destroy(new ConnectError("closed here", Code.Unavailable)).catch(() => undefined);
  }

  #open(): Pool {
    return new Pool(this.#url.origin, {
      connections: MAX_CONNECTIONS,
      connect: (_options, connected) => connectInTime(this.#url, this.#tls?.read(), connected),
      headersTimeout: this.#silentMs,
      bodyTimeout: this.#silentMs,
      keepAliveTimeout: MAX_IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      maxResponseSize: MAX_ANSWER_BYTES,
    });
  }

  /**
   * Replaces the pool: its idle connections lead to the same peer, and may be as dead. Exchanges in flight end on it.
   */
  #renew(): void {
    const left = this.#pool;
    this.#pool = this.#open();
    left.close().catch(() => undefined);
  }
}

/** Bytes from which a reply is large: to read and to convert it takes 3 ms or more. */
const LARGE_REPLY = 2 ** 18; // protects: large-replies

/** A response of HTTP/1.1, read to its end. */
export interface HttpReply {
  readonly status: number;
  /** The headers by their names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

type Controller = Dispatcher.DispatchController;

/** A request and its response. The dispatcher reports to it; a caller that awaits `reply` can end it earlier. */
export class HttpCall implements Dispatcher.DispatchHandler {
  readonly reply: Promise<HttpReply>;
  #settle!: { resolve(reply: HttpReply): void; reject(error: unknown): void };
  #controller: Controller | undefined;
  readonly #ended = new AbortController();
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];
  readonly #largeReplies: Semaphore;
  /** Ends the turn of this exchange among the large replies; undefined while it has none. */
  #release: Release | undefined;

  constructor(largeReplies: Semaphore) {
    this.#largeReplies = largeReplies;
    this.reply = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  /** Aborted when the exchange has failed or was ended: it waits for nothing any more. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /**
   * Rejects `reply` with `error`, and closes the connection if the request has one: its response is no longer awaited.
   */
  end(error: Error): void {
    this.#controller?.abort(error);
    this.#fail(error);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.signal.aborted) controller.abort(this.signal.reason);
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (Number(headers["content-length"] ?? 0) >= LARGE_REPLY) this.#awaitTurn(controller);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first = EMPTY, ...more] = this.#chunks;
    const body = more.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#settle.resolve({ status: this.#status, headers: this.#headers, body });
    this.#free();
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#fail(error);
  }

  #awaitTurn(controller: Controller): void {
    const { signal } = this;
    controller.pause();
    this.#largeReplies.acquire({ signal }).then(
      (release) => {
        if (signal.aborted) return release();
        this.#release = release;
        controller.resume();
      },
      (error: Error) => {
        if (!signal.aborted) this.end(error);
      },
    );
  }

  #fail(error: Error): void {
    this.#ended.abort(error);
    this.#settle.reject(error);
    this.#free();
  }

  #free(): void {
    if (this.#release !== undefined) releaseAsLate(this.#release);
    this.#release = undefined;
  }
}

/** Releases the turn after the reply's immediate processing, and a pause that is as long. */
function releaseAsLate(release: Release): void {
  const since = performance.now();
  setImmediate(() => void setTimeout(release, performance.now() - since));
}

const EMPTY = Buffer.alloc(0);
