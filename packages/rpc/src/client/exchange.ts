import type { IncomingHttpHeaders } from "node:http";
import type { Release, Semaphore } from "@cloud/program";
import type { Dispatcher } from "undici";

/** Bytes from which a reply is large: to read and to convert it takes 3 ms or more. */
const LARGE_REPLY = 2 ** 18; // protects: large-replies

/** A response of HTTP/1.1, read to its end. */
export interface HttpReply {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

type Controller = Dispatcher.DispatchController;

/** One request and its response. The dispatcher reports to it; whoever awaits `reply` can end it before that. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly reply: Promise<HttpReply>;
  #settle!: { resolve(reply: HttpReply): void; reject(error: unknown): void };
  #controller: Controller | undefined;
  readonly #ended = new AbortController();
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];
  readonly #largeReplies: Semaphore;
  /** Ends its turn among the large replies, while it has one. */
  #release: Release | undefined;

  constructor(largeReplies: Semaphore) {
    this.#largeReplies = largeReplies;
    this.reply = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  /** Aborted when it has failed or was ended: it waits for nothing any more. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Rejects `reply` with `error`, and closes the connection if the request has one: its response is no longer awaited. */
  end(error: Error): void {
    this.#controller?.abort(error);
    this.#fail(error);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.signal.aborted) controller.abort(this.signal.reason);
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (Number(headers["content-length"] ?? 0) >= LARGE_REPLY) this.#awaitTurn(controller);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first = EMPTY, ...more] = this.#chunks;
    const body = more.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#settle.resolve({ status: this.#status, headers: this.#headers, body });
    this.#leave();
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#fail(error);
  }

  #awaitTurn(controller: Controller): void {
    const { signal } = this;
    controller.pause();
    this.#largeReplies.acquire({ signal }).then(
      (release) => {
        if (signal.aborted) return release();
        this.#release = release;
        controller.resume();
      },
      (error: Error) => {
        if (!signal.aborted) this.end(error);
      },
    );
  }

  #fail(error: Error): void {
    this.#ended.abort(error);
    this.#settle.reject(error);
    this.#leave();
  }

  #leave(): void {
    if (this.#release !== undefined) releaseAsLate(this.#release);
    this.#release = undefined;
  }
}

/** Returns a permit after what is done with the reply at once, and a pause that is as long. */
function releaseAsLate(release: Release): void {
  const since = performance.now();
  setImmediate(() => void setTimeout(release, performance.now() - since));
}

const EMPTY = Buffer.alloc(0);
