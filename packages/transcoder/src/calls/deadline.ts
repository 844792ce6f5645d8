import { Code, ConnectError } from "@connectrpc/connect";

/** The longest time that a timer can have; beyond it Node's fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Ends what is awaited once the time of an RPC is over: a transport may ignore the timeout and the signal that it is
 * called with. What it settles with afterwards is dropped.
 */
export class Deadline {
  readonly #timer: NodeJS.Timeout;
  #error: ConnectError | undefined;
  #reject: ((error: ConnectError) => void) | undefined;

  /** Starts after the call has begun, so that the error of a transport with the same timeout comes first. */
  constructor(ms: number, expire: (error: ConnectError) => void) {
    this.#timer = setTimeout(
      () => {
        this.#error = new ConnectError("the deadline has passed", Code.DeadlineExceeded);
        this.#reject?.(this.#error);
        expire(this.#error);
      },
      Math.min(ms, LONGEST_MS),
    );
  }

  /** Settles as the promise does, or rejects with DEADLINE_EXCEEDED. One promise at a time. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      promise.then(resolve, reject);
      if (this.#error !== undefined) reject(this.#error);
    });
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** Waits for a call for at most `ms`, and aborts it then. */
export async function inTime<T>(call: Promise<T>, ms: number, aborter: AbortController): Promise<T> {
  const deadline = new Deadline(ms, (error) => aborter.abort(error));
  try {
    return await deadline.race(call);
  } finally {
    deadline.clear();
  }
}
