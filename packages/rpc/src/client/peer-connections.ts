import { fail } from "@cloud/contract";
import { createSemaphore } from "@cloud/program";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Dispatcher } from "undici";
// Not from the index of undici, which loads fetch, WebSocket and caches: 4 MB more in an idle gateway.
import Pool from "undici/lib/dispatcher/pool.js";
import { MAX_ANSWER_BYTES } from "../message-limits.ts";
import type { TlsFiles } from "../tls/tls-files.ts";
import { connectInTime } from "./connect-in-time.ts";
import { Exchange } from "./exchange.ts";

/**
 * Each call in flight takes a connection. A replica has 10 connections to Postgres, so that more calls at once would only
 * wait there instead of here.
 */
const MAX_CONNECTIONS = 128;
/** Less than the 65 s of the server, so that no request is sent on a connection that the server is closing. */
const MAX_IDLE_MS = 30_000;

/**
 * The large replies of a peer are read one after the other, with a pause as long as the last one was converted. 20 requests
 * of one user for pages of 6 MB, of which each takes 60 ms of the event loop, made others wait for 10 s. Each that waits has
 * a connection, and up to 16 MiB at the peer.
 */
const LARGE_REPLIES = { max: 1, maxQueue: 16, refusal: fail(Reason.OVERLOADED) };

type Request = Pick<Dispatcher.DispatchOptions, "path" | "headers" | "body">;

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
  /** The pool's own queue is overtaken by whoever comes when a connection is free. */
  readonly #connections = createSemaphore({ max: MAX_CONNECTIONS });
  readonly #largeReplies = createSemaphore(LARGE_REPLIES);
  #pool: Pool;
  #closed = false;

  /** A peer that sends nothing for `silentMs` milliseconds while it owes a reply counts as gone. */
  constructor(url: string, tls: TlsFiles | undefined, silentMs: number) {
    this.#url = new URL(url);
    this.#tls = tls;
    this.#silentMs = silentMs; // protects: peer-silence
    this.#pool = this.#open();
  }

  /** Begins an exchange, as soon as a connection is free. */
  begin(request: Request): Exchange {
    const exchange = new Exchange(this.#largeReplies);
    if (this.#closed) {
      exchange.end(closedHere());
      return exchange;
    }
    void this.#run(request, exchange);
    return exchange;
  }

  async #run(request: Request, exchange: Exchange): Promise<void> {
    this.#exchanges.add(exchange);
    // None for one that was ended while it waited.
    const release = await this.#connections.acquire({ signal: exchange.signal }).catch(() => undefined);
    if (release !== undefined) {
      const pool = this.#pool;
      pool.dispatch({ ...request, method: "POST" }, exchange);
      await exchange.reply.catch((error: NodeJS.ErrnoException) => {
        if (SILENCE.has(error.code) && pool === this.#pool) this.#renew();
      });
      setImmediate(release); // the turn of the event loop in which the pool takes the connection back
    }
    this.#exchanges.delete(exchange);
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

  /** The idle connections lead to the same peer, and may be as dead. Exchanges in flight end on theirs. */
  #renew(): void {
    const left = this.#pool;
    this.#pool = this.#open();
    left.close().catch(() => undefined);
  }
}

const closedHere = () => new ConnectError("closed here", Code.Unavailable);
