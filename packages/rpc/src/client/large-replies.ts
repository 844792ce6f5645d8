import { fail } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";

/** Bytes from which a reply is large: to read and to convert it takes 3 ms or more. */
export const LARGE_REPLY = 2 ** 18;
/** That wait, each with a connection of the 128 to a peer, and up to 16 MiB at the peer. */
const MOST_WAITING = 16;

/** What a large reply does when it is its turn, or is refused. */
interface Waiting {
  begin(): void;
  refuse(error: Error): void;
}

/** One for all refusals: to create it costs more than to send it. */
const busy = fail(Reason.OVERLOADED);

/**
 * Lets the large replies of a peer be read one after the other, with a pause as long as the last one was converted. 20
 * requests of one user for pages of 6 MB, of which each takes 60 ms of the event loop, made others wait for 10 s.
 */
export class LargeReplies {
  readonly #waiting = new Set<Waiting>();
  #isTaken = false;

  /** Begins a reply now or when it is its turn, or refuses it if too many wait. */
  enter(reply: Waiting): void {
    if (!this.#isTaken) {
      this.#isTaken = true;
      reply.begin();
    } else if (this.#waiting.size < MOST_WAITING) this.#waiting.add(reply);
    else reply.refuse(busy);
  }

  /** Ends a reply that waits or was read; the next one begins after what its caller does with it at once, and a pause. */
  leave(reply: Waiting): void {
    if (this.#waiting.delete(reply)) return;
    const since = performance.now();
    setImmediate(() => void setTimeout(this.#next, performance.now() - since));
  }

  readonly #next = () => {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#isTaken = false;
      return;
    }
    this.#waiting.delete(next);
    next.begin();
  };
}
