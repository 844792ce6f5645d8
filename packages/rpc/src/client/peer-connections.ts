import { Code, ConnectError } from "@connectrpc/connect";
import type { Dispatcher } from "undici";
// Not from the index of undici, which loads fetch, WebSocket and caches: 4 MB more in an idle gateway.
import Pool from "undici/lib/dispatcher/pool.js";
import { MAX_ANSWER_BYTES } from "../message-limits.ts";
import type { TlsFiles } from "../tls/tls-files.ts";
import { connectInTime } from "./connect-in-time.ts";
import { Exchange } from "./exchange.ts";
import { LargeReplies } from "./large-replies.ts";

/**
 * Each call in flight takes a connection. A replica has 10 connections to Postgres, so that more calls at once would only
 * wait there instead of here.
 */
const MAX_CONNECTIONS = 128;
/** Less than the 65 s of the server, so that no request is sent on a connection that the server is closing. */
const MAX_IDLE_MS = 30_000;

/**
 * Silence is counted in ticks, not in time. A process whose event loop is late runs one tick for the whole delay, and
 * then reads what has arrived meanwhile: its own delay never ends a call.
 */
const TICK_MS = 250;
/** Ticks after which a peer counts as gone: 4 s. With 2.5 s, a peer that was only busy counted as gone. */
const GONE_AFTER = 16;

/**
 * The connections to a peer, over HTTP/1.1. A peer that is silent for 4 s while it owes a response fails the calls that
 * wait for it, and later calls go over new connections.
 */
export class PeerConnections {
  readonly #url: URL;
  readonly #tls: TlsFiles | undefined;
  readonly #exchanges = new Set<Exchange>();
  /** In the order in which they came: the pool's own queue is overtaken by whoever comes when a connection is free. */
  readonly #waiting: { readonly exchange: Exchange; start(): void }[] = [];
  readonly #largeReplies = new LargeReplies();
  #free = MAX_CONNECTIONS;
  #pool: Pool;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(url: string, tls: TlsFiles | undefined) {
    this.#url = new URL(url);
    this.#tls = tls;
    this.#pool = this.#open();
  }

  /** Begins an exchange, as soon as a connection is free. */
  begin(request: Pick<Dispatcher.DispatchOptions, "path" | "headers" | "body">): Exchange {
    const exchange = new Exchange(this.#largeReplies);
    if (this.#closed) {
      exchange.end(closedHere());
      return exchange;
    }
    this.#exchanges.add(exchange);
    this.#timer ??= setInterval(this.#tick, TICK_MS).unref();
    const end = () => this.#forget(exchange);
    exchange.reply.then(end, end);
    const start = () => {
      // In the next turn of the event loop, in which the pool takes the connection back.
      const release = () => void setImmediate(this.#release);
      exchange.reply.then(release, release);
      this.#pool.dispatch({ ...request, method: "POST" }, exchange);
    };
    if (this.#free > 0) {
      this.#free--;
      start();
    } else this.#waiting.push({ exchange, start });
    return exchange;
  }

  /** Closes the connections and fails the calls in flight. */
  close(): void {
    this.#closed = true;
    for (const exchange of this.#exchanges) exchange.end(closedHere());
    this.#pool.destroy().catch(() => undefined);
  }

  #open(): Pool {
    return new Pool(this.#url.origin, {
      connections: MAX_CONNECTIONS,
      connect: (_options, connected) => connectInTime(this.#url, this.#tls?.read(), connected),
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: MAX_IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      maxResponseSize: MAX_ANSWER_BYTES,
    });
  }

  #forget(exchange: Exchange): void {
    this.#exchanges.delete(exchange);
    if (this.#exchanges.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  readonly #release = () => {
    let next = this.#waiting.shift();
    while (next?.exchange.isEnded) next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next.start();
  };

  readonly #tick = () => {
    let isGone = false;
    for (const exchange of this.#exchanges) {
      if (exchange.silentTicks === undefined) continue;
      exchange.silentTicks++;
      if (exchange.silentTicks < GONE_AFTER) continue;
      exchange.end(new ConnectError("the peer is silent", Code.Unavailable));
      isGone = true;
    }
    if (isGone) this.#renew();
  };

  /** The idle connections lead to the same peer, and may be as dead. Exchanges in flight end on theirs. */
  #renew(): void {
    const left = this.#pool;
    this.#pool = this.#open();
    left.close().catch(() => undefined);
  }
}

const closedHere = () => new ConnectError("closed here", Code.Unavailable);
