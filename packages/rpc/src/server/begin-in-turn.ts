import type { Http2Session, ServerHttp2Stream } from "node:http2";
import type { NodeHandler } from "./listen-one-port.ts";

interface Waiting {
  readonly stream: ServerHttp2Stream;
  readonly begin: () => void;
}

/**
 * In a turn of the event loop, at most so many requests begin, and for so long. Then what has arrived is read. Another
 * caller waits for four or five turns: with 32 requests and 10 ms, watches of health took their 99th percentile from 18 to
 * 117 ms.
 */
const TURN = { requests: 8, ms: 2 };

/**
 * Begins the requests of HTTP/2 one after the other, each of another connection, for 2 ms in a turn of the event loop,
 * and none that its client has reset by then. Node begins all that it has read at once: 2,000 watches of health, opened
 * together, delayed every other caller by seconds, and so did a flood of resets, each sent right behind its request
 * (CVE-2023-44487).
 */
export function beginInTurn(handler: NodeHandler): NodeHandler {
  const queues = new Map<Http2Session, Waiting[]>();
  /** What is left of the current turn; undefined before its first request. */
  let turn: { readonly until: number; requests: number } | undefined;
  const nextTurn = () => {
    turn = undefined;
  };
  // A callback for each request: the work of one, until it waits for something, is done when the next looks at the time.
  const beginOne = () => {
    const now = performance.now();
    if (turn === undefined) {
      turn = { until: now + TURN.ms, requests: TURN.requests };
      setImmediate(nextTurn); // the first callback of the next turn
    }
    if (now >= turn.until || turn.requests === 0) return void setImmediate(beginOne);
    const [first] = queues;
    if (first === undefined) return; // reset ones were skipped
    const [session, queue] = first;
    queues.delete(session);
    turn.requests--;
    beginNext(queue);
    if (queue.length > 0) queues.set(session, queue); // the last in turn
  };
  return (request, response) => {
    if (!("stream" in request)) return handler(request, response);
    const { stream } = request;
    if (stream.session === undefined) return;
    const queue = queues.get(stream.session) ?? [];
    queue.push({ stream, begin: () => handler(request, response) });
    queues.set(stream.session, queue);
    setImmediate(beginOne);
  };
}

function beginNext(queue: Waiting[]): void {
  let next = queue.shift();
  while (next?.stream.closed === true || next?.stream.destroyed === true) next = queue.shift();
  next?.begin();
}
