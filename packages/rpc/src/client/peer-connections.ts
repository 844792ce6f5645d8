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

/** What undici reports of a peer that is silent. It counts in ticks of its own: a late process reads first what has arrived. */
const SILENCE: ReadonlySet<unknown> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/**
 * The connections to a peer, over HTTP/1.1. A peer that is silent while it owes a response fails the calls that wait for
 * it, and later calls go over new connections.
 */
export class PeerConnections {
  readonly #url: URL;
  readonly #tls: TlsFiles | undefined;
  readonly #silentMs: number;
  readonly #exchanges = new Set<Exchange>();
  /** In the order in which they came: the pool's own queue is overtaken by whoever comes when a connection is free. */
  readonly #waiting: { readonly exchange: Exchange; start(): void }[] = [];
  readonly #largeReplies = new LargeReplies();
  #free = MAX_CONNECTIONS;
  #pool: Pool;
  #closed = false;

  /** A peer that sends nothing for `silentMs` milliseconds while it owes a reply counts as gone. */
  constructor(url: string, tls: TlsFiles | undefined, silentMs: number) {
    this.#url = new URL(url);
    this.#tls = tls;
    this.#silentMs = silentMs;
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
    const forget = () => void this.#exchanges.delete(exchange);
    exchange.reply.then(forget, forget);
    const start = () => {
      // In the next turn of the event loop, in which the pool takes the connection back.
      const release = () => void setImmediate(this.#release);
      const pool = this.#pool;
      exchange.reply.then(release, (error: NodeJS.ErrnoException) => {
        release();
        if (SILENCE.has(error.code) && pool === this.#pool) this.#renew();
      });
      pool.dispatch({ ...request, method: "POST" }, exchange);
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
      headersTimeout: this.#silentMs,
      bodyTimeout: this.#silentMs,
      keepAliveTimeout: MAX_IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      maxResponseSize: MAX_ANSWER_BYTES,
    });
  }

  readonly #release = () => {
    let next = this.#waiting.shift();
    while (next?.exchange.isEnded) next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next.start();
  };

  /** The idle connections lead to the same peer, and may be as dead. Exchanges in flight end on theirs. */
  #renew(): void {
    const left = this.#pool;
    this.#pool = this.#open();
    left.close().catch(() => undefined);
  }
}

const closedHere = () => new ConnectError("closed here", Code.Unavailable);
