import type { Http2Server, ServerHttp2Session } from "node:http2";

export interface H2cSessions {
  /** Ends all that there are, and those that still come. */
  close(): void;
}

/**
 * Ends each connection at an age of `ageMs`, give or take 10 % so that they do not all go at once. A peer keeps one for
 * all its calls: without an end they would go to one replica for ever, also when there are others (gRPC's
 * MAX_CONNECTION_AGE). A GOAWAY tells the peer which calls are still answered; it sends the others elsewhere.
 */
export function endOldSessions(h2c: Http2Server, ageMs: number): H2cSessions {
  const sessions = new Set<ServerHttp2Session>();
  let closing = false;
  h2c.on("session", (session) => {
    const old = setTimeout(() => session.close(), ageMs * (0.9 + Math.random() * 0.2)).unref();
    sessions.add(session);
    session.once("close", () => {
      clearTimeout(old);
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
