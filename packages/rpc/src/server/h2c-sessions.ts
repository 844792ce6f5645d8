import type { Http2Server, ServerHttp2Session } from "node:http2";

export interface H2cSessions {
  /** Closes all current connections, and any that are still to come. */
  close(): void;
}

export interface SessionLimits {
  /** Milliseconds. */
  readonly ageMs: number;
  /** Milliseconds within which a client must send its settings, the first frame of every connection. */
  readonly settingsMs: number;
}

/**
 * Drops a connection whose client does not send its settings. Closes each of the others at an age of `ageMs`, varied by
 * 10 % so that they do not all close at once. A peer keeps one connection for all its calls: without a limit they would
 * reach a single replica indefinitely, even when others exist (gRPC's MAX_CONNECTION_AGE). The GOAWAY lists the calls
 * that will still be answered; the peer sends the others elsewhere.
 */
export function endOldSessions(h2c: Http2Server, { ageMs, settingsMs }: SessionLimits): H2cSessions {
  const sessions = new Set<ServerHttp2Session>();
  let closing = false;
  h2c.on("session", (session) => {
    const old = setTimeout(() => closeThenDestroy(session), ageMs * (0.9 + Math.random() * 0.2)).unref();
    const withoutSettings = setTimeout(() => session.destroy(), settingsMs).unref();
    session.once("remoteSettings", () => clearTimeout(withoutSettings));
    sessions.add(session);
    session.once("close", () => {
      clearTimeout(old);
      clearTimeout(withoutSettings);
      sessions.delete(session);
    });
    session.on("error", () => session.destroy());
    if (closing) session.close();
  });
  return {
    close: () => {
      closing = true;
      for (const session of sessions) session.close();
    },
  };
}

/** How long the calls that are open at a GOAWAY may still take: the longest deadline. A watch has none. */
const LAST_CALLS_MS = 30_000;

function closeThenDestroy(session: ServerHttp2Session): void {
  const last = setTimeout(() => session.destroy(), LAST_CALLS_MS).unref();
  session.once("close", () => clearTimeout(last));
  session.close();
}
