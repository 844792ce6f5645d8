import type { Http2Session, ServerHttp2Stream } from "node:http2";
import type { NodeHandler } from "./listen-one-port.ts";

interface Waiting {
  readonly stream: ServerHttp2Stream;
  readonly begin: () => void;
}

/**
 * Begins the requests of HTTP/2 one per connection in a turn of the event loop, and none that its client has reset by
 * then. Node begins all that it has read at once: 2,000 watches of health, opened together, delayed every other caller by
 * seconds, and so did a flood of resets, each sent right behind its request (CVE-2023-44487).
 */
export function beginInTurn(handler: NodeHandler): NodeHandler {
  const queues = new Map<Http2Session, Waiting[]>();
  const beginOneOfEach = () => {
    for (const [session, queue] of queues) {
      beginNext(queue);
      if (queue.length === 0) queues.delete(session);
    }
    if (queues.size > 0) setImmediate(beginOneOfEach);
  };
  return (request, response) => {
    if (!("stream" in request)) return handler(request, response);
    const { stream } = request;
    if (stream.session === undefined) return;
    if (queues.size === 0) setImmediate(beginOneOfEach);
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
