import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import { Http2SessionManager } from "@connectrpc/connect-node";

export interface PeerSessionOptions {
  /** Milliseconds without a sign of life after which the peer is asked for one, before or during a call. */
  readonly pingIntervalMs: number;
  /** Milliseconds that it has to answer. */
  readonly pingTimeoutMs: number;
  /** Makes the connection; Node does where it is absent. */
  readonly createConnection?: (authority: URL) => Socket;
}

/**
 * The connections to a peer, kept clear of three faults that connect-node 2.2.0 has where a connection ends while
 * something else is about to use it. Each has its control in `test/ending-connection.int.test.ts`:
 *
 * - An idle connection that times out while a call verifies it leaves the manager in a loop that never yields, and with
 *   it the process: gateways stood still for good. Idle connections are never ended from this side; the server does.
 * - A connection that fails its verification is replaced by a new one, although another call has made one meanwhile:
 *   those that wait for the latter hear no more of it. Calls verify and connect together, so that there is one at most.
 * - A connection that did not answer a ping tells its error only when its socket has closed. When a call has turned to a
 *   new connection by then nobody listens, and the process ends.
 */
export class PeerSessions extends Http2SessionManager {
  readonly #heard = new WeakSet<ClientHttp2Session>();
  #reaching: Promise<void> | undefined;

  constructor(url: string, { pingIntervalMs, pingTimeoutMs, createConnection }: PeerSessionOptions) {
    const pings = { pingIntervalMs, pingTimeoutMs, idleConnectionTimeoutMs: Number.POSITIVE_INFINITY };
    super(url, pings, createConnection === undefined ? {} : { createConnection });
  }

  override async request(...parameters: Parameters<Http2SessionManager["request"]>): Promise<ClientHttp2Stream> {
    this.#reaching ??= this.#reach().finally(() => {
      this.#reaching = undefined;
    });
    await this.#reaching;
    const stream = await super.request(...parameters);
    const session = stream.session as ClientHttp2Session | undefined;
    if (session !== undefined && !this.#heard.has(session)) {
      this.#heard.add(session);
      session.on("error", () => undefined); // the calls on it have been told
    }
    return stream;
  }

  async #reach(): Promise<void> {
    if ((await this.connect()) === "error") throw this.error() ?? new ConnectError("closed here", Code.Unavailable);
  }
}
