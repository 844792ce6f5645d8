import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";

/**
 * Silence is counted in ticks, not in time. A process whose event loop is late runs one tick for the whole delay, and
 * then reads what has arrived meanwhile: its own delay never ends a session. A timer that measures time runs before the
 * reading, and did end the sessions of a busy gateway with all their calls.
 */
const TICK_MS = 250;
/** Ticks without a byte from the peer after which it is pinged. */
const PING_AFTER = 4;
/** Ticks after which it counts as gone: 4 s. With 2.5 s, a peer that was only busy counted as gone. */
const GONE_AFTER = 16;

/** Destroys a session whose peer falls silent while it owes a reply. */
export interface PeerWatch {
  /** Must be called with every stream of the session. */
  observe(stream: ClientHttp2Stream): void;
  /** Resolves once the peer of an idle session has replied to a ping, or the session has ended. */
  verify(): Promise<void>;
}

export function watchPeer(session: ClientHttp2Session): PeerWatch {
  let [owed, received, silentTicks, idleSince] = [0, 0, 0, performance.now()];
  let timer: NodeJS.Timeout | undefined;
  const ping = (replied: () => void) => {
    const canPing = !session.closed && !session.destroyed;
    if (canPing && session.ping(replied)) return;
    replied();
  };
  const tick = () => {
    // Its streams report that they are closed only later.
    if (session.destroyed) return clearInterval(timer);
    const bytes = session.socket?.bytesRead ?? 0;
    silentTicks = bytes === received ? silentTicks + 1 : 0;
    received = bytes;
    if (silentTicks === PING_AFTER) ping(() => undefined); // its reply is a byte, too
    if (silentTicks === GONE_AFTER) {
      session.destroy(new ConnectError("the peer is silent", Code.Unavailable), constants.NGHTTP2_CANCEL);
    }
  };
  const expectReply = () => {
    owed++;
    if (owed === 1) timer = setInterval(tick, TICK_MS).unref();
    return () => {
      owed--;
      if (owed > 0) return;
      clearInterval(timer);
      idleSince = performance.now();
    };
  };
  return {
    observe: (stream) => {
      if (!stream.destroyed) stream.once("close", expectReply());
    },
    verify: async () => {
      if (owed > 0 || performance.now() - idleSince < TICK_MS * PING_AFTER) return;
      const replied = expectReply();
      await new Promise<void>((resolve) => ping(resolve));
      replied();
    },
  };
}
