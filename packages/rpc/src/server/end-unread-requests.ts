import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest, ServerHttp2Stream } from "node:http2";
import { MAX_ANSWER_BYTES } from "../message-limits.ts";
import { isWorn, watchForCut } from "./cut-streams.ts";
import type { NodeHandler } from "./listen-one-port.ts";

/** How long a client may go on sending a request whose response is complete. */
const LINGER_MS = 2_000;

/**
 * Keeps an HTTP/2 session usable, whatever becomes of its streams: ends those of requests that were refused before their
 * end, and closes the session when too many answers were cut off (the client sends its next calls on a new one).
 */
export function endUnreadRequests(handler: NodeHandler): NodeHandler {
  return (request, response) => {
    if (isHttp2(request)) {
      endWhenAnswered(request.stream);
      closeWhenWorn(request.stream);
    }
    handler(request, response);
  };
}

function isHttp2(request: IncomingMessage | Http2ServerRequest): request is Http2ServerRequest {
  return "stream" in request;
}

/**
 * The library stops reading a request that it refuses, and then the stream never closes while its client has more to
 * send: its bytes fill the session (four refused look-ups of 60,000 ids made every other call fail), and a stop waits
 * for its limit of 10 s.
 *
 * What the client still sends is read and dropped, at most the largest message and for 2 s, so that a client in order
 * receives the response before the stream closes. Then the stream is reset with NO_ERROR (RFC 9113, 8.1).
 */
function endWhenAnswered(stream: ServerHttp2Stream): void {
  stream.once("finish", () => {
    if (stream.closed || stream.readableEnded) return;
    const reset = () => stream.close();
    const timer = setTimeout(reset, LINGER_MS);
    stream.once("close", () => clearTimeout(timer));
    let dropped = 0;
    // The listener of Node's request pauses the stream, because nothing reads the request any more.
    stream.removeAllListeners("data");
    stream.on("data", (chunk: Buffer) => {
      dropped += chunk.length;
      if (dropped > MAX_ANSWER_BYTES) reset();
    });
    stream.resume();
  });
}

function closeWhenWorn(stream: ServerHttp2Stream): void {
  const { session } = stream;
  if (session === undefined) return;
  watchForCut(session, stream);
  stream.once("close", () => {
    if (isWorn(session)) session.close();
  });
}
