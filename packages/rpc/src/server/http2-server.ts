import http2, { type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { NodeHandler } from "./http1-server.ts";

/**
 * Responses cut off in a session before it is replaced. With the largest message each, they take half of its memory.
 */
const MAX_CUT_STREAMS = 2; // protects: cut-streams
/** Milliseconds for which a client may go on sending a request whose response is complete. */
const LINGER_MS = 2_000;
/** Milliseconds that the calls open at a GOAWAY may still take: the longest deadline. A watch has no deadline. */
const LAST_CALLS_MS = 30_000;

/**
 * Bounds the memory of a connection; Node's own bounds of resets, rejected streams and invalid frames apply besides.
 */
const LIMITS: http2.ServerOptions = {
  settings: {
    /**
     * The minimum that RFC 9113 (6.5.2) recommends. More calls wait at the client, which may open another connection.
     */
    maxConcurrentStreams: 100,
    /** Bytes; as over HTTP/1.1. */
    maxHeaderListSize: 16_384,
  },
  /** Megabytes, Node's default being 10: two cut streams and as much in transit. */
  maxSessionMemory: 64, // protects: session-memory
  /**
   * Streams beyond the limit, after which the connection ends. A client may open them before it has read the settings;
   * a hostile client opens the next connection, which costs more than its streams.
   */
  maxSessionRejectedStreams: 1_000,
};

/** Creates a server that never listens itself, but takes the connections that are emitted on it. */
export function createHttp2Server(handler: NodeHandler, ageMs: number): Http2Server {
  // protects: http2-limits
  return http2.createServer(LIMITS, handler).on("session", (session) => {
    closeWhenOld(session, ageMs);
    let cut = 0;
    session.on("stream", (stream) => {
      closeWhenAnswered(stream); // protects: unread-requests
      stream.once("close", () => {
        if (isCut(stream)) cut++;
        if (cut >= MAX_CUT_STREAMS) session.close();
      });
    });
  });
}

/**
 * Closes a connection at an age of `ageMs`, varied by 10 % so that they do not all close at once. A peer keeps one
 * connection for all its calls: without a limit they would reach a single replica indefinitely, even when others exist
 * (gRPC's MAX_CONNECTION_AGE). The GOAWAY names the last call that will still be answered; the peer sends later ones
 * elsewhere.
 */
function closeWhenOld(session: ServerHttp2Session, ageMs: number): void {
  const age = ageMs * (0.9 + Math.random() * 0.2);
  const old = setTimeout(() => session.close(), age).unref();
  const last = setTimeout(() => session.destroy(), age + LAST_CALLS_MS).unref();
  session.once("close", () => [old, last].forEach(clearTimeout));
}

/**
 * Drops what the client still sends within 2 s after the response, so that it receives the response, and then resets
 * the stream with NO_ERROR (RFC 9113, 8.1). The library stops reading a request that it refuses. Without this, the
 * stream never closes while its client has more to send: its bytes fill the session (four refused look-ups of 60,000
 * ids made every other call fail), and a stop waits for its limit of 10 s.
 */
function closeWhenAnswered(stream: ServerHttp2Stream): void {
  stream.once("finish", () => {
    if (stream.closed || stream.readableEnded) return;
    const timer = setTimeout(() => stream.close(), LINGER_MS);
    stream.once("close", () => clearTimeout(timer));
    // The listener of Node's request pauses the stream, because nothing reads the request any more.
    stream.removeAllListeners("data").resume();
  });
}

/**
 * Returns whether a stream has closed before all that was written to it is sent. Node 26 counts the unsent bytes
 * towards the session's memory until the session ends, and refuses all streams once the memory is used up: five callers
 * that disconnected during a reply of 2 MB made every other call of the connection fail.
 */
function isCut(stream: ServerHttp2Stream): boolean {
  return stream.sentHeaders !== undefined && !stream.writableFinished;
}
