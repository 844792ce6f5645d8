import type { NodeHandler } from "./listen-one-port.ts";
import type { NodeRequest } from "./received-request.ts";

/** In a turn of the event loop, at most so many waiting requests begin, and for so long. */
const TURN = { requests: 8, ms: 1 };

interface Waiting {
  readonly isGone: () => boolean;
  readonly begin: () => void;
}

/** The turns of all requests of a server. */
export interface Turns {
  /** Makes a handler begin its requests in turn, and none whose client has left by then. */
  begin(handler: NodeHandler): NodeHandler;
  /** Resolves in the turn of a request that goes on after it has waited for something together with others. */
  pass(request: NodeRequest): Promise<void>;
}

/**
 * Creates turns: requests begin for 1 ms in a turn of the event loop, one of each address after the other, and then what
 * has arrived is read.
 *
 * Node begins everything at once that it has read. 2,000 watches of health, opened together, delayed all other callers by
 * seconds, and so did a flood of resets, each sent right behind its request (CVE-2023-44487). With turns of 10 ms, watches
 * took the others' 99th percentile from 18 to 117 ms, with 2 ms from 12 to 74, with 1 ms from 16 to 25: each of their
 * requests waits for four or five turns.
 */
export function createTurns(): Turns {
  const queues = new Map<string, Waiting[]>();
  let [waiting, scheduled] = [0, 0];
  /** The end of the current turn; undefined before its first request. */
  let until: number | undefined;
  const nextTurn = () => {
    until = undefined;
  };
  const isOver = () => {
    const now = performance.now();
    if (until === undefined) {
      until = now + TURN.ms;
      setImmediate(nextTurn); // the first callback of the next turn
    }
    return now >= until;
  };
  // A callback for each request: the work of one, until it waits for something, is done when the next looks at the time.
  const schedule = () => {
    for (; scheduled < Math.min(waiting, TURN.requests); scheduled++) setImmediate(beginOne);
  };
  const beginOne = () => {
    scheduled--;
    const next = isOver() ? undefined : take();
    schedule();
    if (next?.isGone() === false) next.begin();
  };
  const take = () => {
    const [first] = queues;
    if (first === undefined) return undefined;
    const [address, queue] = first;
    const next = queue.shift();
    waiting--;
    queues.delete(address);
    if (queue.length > 0) queues.set(address, queue); // the last in turn
    return next;
  };
  const wait = (address: string, request: Waiting) => {
    const queue = queues.get(address) ?? [];
    queue.push(request);
    queues.set(address, queue);
    waiting++;
    schedule();
  };
  const mayBegin = () => waiting === 0 && !isOver();
  return {
    begin: (handler) => (request, response) => {
      const begin = () => handler(request, response);
      if ("stream" in request) {
        // Always in a later turn: a reset may have been read together with the request.
        const { stream } = request;
        wait(addressOf(request), { begin, isGone: () => stream.closed || stream.destroyed });
      } else if (mayBegin()) {
        begin();
      } else {
        const { socket } = request;
        wait(addressOf(request), { begin, isGone: () => socket.destroyed });
      }
    },
    async pass(request) {
      if (mayBegin()) return;
      await new Promise<void>((begin) => wait(addressOf(request), { begin, isGone: () => false }));
    },
  };
}

function addressOf({ socket }: NodeRequest): string {
  return socket.remoteAddress ?? "";
}
