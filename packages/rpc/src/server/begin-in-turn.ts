import type { Http2Session, ServerHttp2Stream } from "node:http2";
import type { NodeHandler } from "./listen-one-port.ts";

interface Waiting {
  readonly stream: ServerHttp2Stream;
  readonly begin: () => void;
}

/** In a turn of the event loop, at most so many requests begin, and for so long. Then what has arrived is read. */
const TURN = { requests: 32, ms: 10 };

/**
 * Begins the requests of HTTP/2 one after the other, each of another connection, for 10 ms in a turn of the event loop,
 * and none that its client has reset by then. Node begins all that it has read at once: 2,000 watches of health, opened
 * together, delayed every other caller by seconds, and so did a flood of resets, each sent right behind its request
 * (CVE-2023-44487).
 */
export function beginInTurn(handler: NodeHandler): NodeHandler {
  const queues = new Map<Http2Session, Waiting[]>();
  let until = 0;
  let isScheduled = false;
  // In a callback each: the work of one, until it waits for something, is done when the next looks at the time.
  const beginSome = () => {
    for (let index = 0; index < TURN.requests; index++) setImmediate(beginOne, index);
  };
  const beginOne = (index: number) => {
    const now = performance.now();
    if (index === 0) until = now + TURN.ms;
    const [first] = queues;
    if (first !== undefined && now < until) {
      const [session, queue] = first;
      queues.delete(session);
      beginNext(queue);
      if (queue.length > 0) queues.set(session, queue); // the last in turn
    }
    isScheduled = index < TURN.requests - 1 || queues.size > 0;
    if (index === TURN.requests - 1 && queues.size > 0) beginSome();
  };
  return (request, response) => {
    if (!("stream" in request)) return handler(request, response);
    const { stream } = request;
    if (stream.session === undefined) return;
    if (!isScheduled) beginSome();
    isScheduled = true;
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
