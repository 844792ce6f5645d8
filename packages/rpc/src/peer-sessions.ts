import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import { Http2SessionManager } from "@connectrpc/connect-node";
import { isWorn, MAX_SESSION_MEGABYTES, watchForCut } from "./cut-streams.ts";
import { type PeerWatch, watchPeer } from "./watch-peer.ts";

export interface PeerSessionOptions {
  /** Opens the connection; Node's default if absent. */
  readonly createConnection?: (authority: URL) => Socket;
}

/**
 * Manages the connections to a peer. It watches the peer itself, because connect-node 2.2.0 has faults when a connection
 * ends just as it is about to be used. Each has its control in `test/ending-connection.fault.test.ts`:
 *
 * - An idle connection that times out while a call verifies it leaves the manager in a loop that never yields and
 *   blocks the process: gateways froze permanently. Idle connections are never closed from this side; the server closes
 *   them.
 * - A connection that fails its verification is replaced by a new one even if another call has opened one meanwhile:
 *   callers waiting on that connection are never resolved. Calls share verification and connecting, so there is only
 *   one.
 * - A connection that did not reply to a ping reports its error only when its socket has closed. If its call has
 *   moved to a new connection by then, the error has no listener, and the process exits.
 * - A reply to a ping that arrived in time ends the connection if this process was too late to read it.
 */
export class PeerSessions extends Http2SessionManager {
  readonly #watches = new WeakMap<ClientHttp2Session, PeerWatch>();
  #latest: { readonly session: ClientHttp2Session; readonly watch: PeerWatch } | undefined;
  #reaching: Promise<void> | undefined;

  constructor(url: string, { createConnection }: PeerSessionOptions) {
    const never = { pingIntervalMs: Number.POSITIVE_INFINITY, idleConnectionTimeoutMs: Number.POSITIVE_INFINITY };
    const memory = { maxSessionMemory: MAX_SESSION_MEGABYTES };
    super(url, never, createConnection === undefined ? memory : { ...memory, createConnection });
  }

  override async request(...parameters: Parameters<Http2SessionManager["request"]>): Promise<ClientHttp2Stream> {
    this.#reaching ??= this.#reach().finally(() => {
      this.#reaching = undefined;
    });
    await this.#reaching;
    const stream = await super.request(...parameters);
    const session = stream.session as ClientHttp2Session | undefined;
    if (session === undefined) return stream;
    this.#watch(session).observe(stream);
    watchForCut(session, stream);
    return stream;
  }

  async #reach(): Promise<void> {
    await this.#latest?.watch.verify();
    // Only here, where no verification is under way; the calls in flight still end on it.
    if (this.#latest !== undefined && isWorn(this.#latest.session)) this.#latest.session.close();
    if ((await this.connect()) === "error") throw this.error() ?? new ConnectError("closed here", Code.Unavailable);
  }

  #watch(session: ClientHttp2Session): PeerWatch {
    let watch = this.#watches.get(session);
    if (watch === undefined) {
      session.on("error", () => undefined); // the streams on this session have already failed with it
      watch = watchPeer(session);
      this.#watches.set(session, watch);
      this.#latest = { session, watch };
    }
    return watch;
  }
}
