import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import { Http2SessionManager } from "@connectrpc/connect-node";

/**
 * The connections to a peer. One that its manager has given up, because a ping was not answered, tells its error only
 * when its socket has closed; a call in between makes the manager turn to a new connection and listen no more, and an
 * error that nobody listens to ends the process (seen with connect-node 2.2.0).
 */
export class PeerSessions extends Http2SessionManager {
  readonly #heard = new WeakSet<ClientHttp2Session>();

  override async request(...parameters: Parameters<Http2SessionManager["request"]>): Promise<ClientHttp2Stream> {
    const stream = await super.request(...parameters);
    const session = stream.session as ClientHttp2Session | undefined;
    if (session !== undefined && !this.#heard.has(session)) {
      this.#heard.add(session);
      session.on("error", () => undefined); // the calls on it have been told
    }
    return stream;
  }
}
