import type { Http2Session, ServerHttp2Stream } from "node:http2";
import type { NodeHandler } from "./listen-one-port.ts";

interface Waiting {
  readonly stream: ServerHttp2Stream;
  readonly begin: () => void;
}

/** After this long, what has arrived meanwhile is read; one request takes about 0.5 ms to begin. */
const TURN_MS = 10;

/**
 * Begins the requests of HTTP/2 connection by connection, for 10 ms in a turn of the event loop, and none that its client
 * has reset by then. Node begins all that it has read at once: 2,000 watches of health, opened together, delayed every
 * other caller by seconds, and so did a flood of resets, each sent right behind its request (CVE-2023-44487).
 */
export function beginInTurn(handler: NodeHandler): NodeHandler {
  const queues = new Map<Http2Session, Waiting[]>();
  const beginSome = () => {
    const until = performance.now() + TURN_MS;
    for (const [session, queue] of queues) {
      queues.delete(session);
      beginNext(queue);
      if (queue.length > 0) queues.set(session, queue); // the last in turn; this loop comes to it again
      if (performance.now() > until) break;
    }
    if (queues.size > 0) setImmediate(beginSome);
  };
  return (request, response) => {
    if (!("stream" in request)) return handler(request, response);
    const { stream } = request;
    if (stream.session === undefined) return;
    if (queues.size === 0) setImmediate(beginSome);
    const queue = queues.get(stream.session) ?? [];
    queue.push({ stream, begin: () => handler(request, response) });
    queues.set(stream.session, queue);
  };
}

function beginNext(queue: Waiting[]): void {
  let next = queue.shift();
  while (next?.stream.closed === true || next?.stream.destroyed === true) next = queue.shift();
  next?.begin();
}
