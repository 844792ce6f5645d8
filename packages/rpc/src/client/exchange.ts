import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { LARGE_REPLY, type LargeReplies } from "./large-replies.ts";

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
  #ended: Error | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];
  readonly #largeReplies: LargeReplies;
  /** Its turn among the large replies, while it has or awaits one. */
  #turn: Parameters<LargeReplies["enter"]>[0] | undefined;

  constructor(largeReplies: LargeReplies) {
    this.#largeReplies = largeReplies;
    this.reply = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  /** Whether `end` was called: its reply is no longer awaited. */
  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Rejects `reply` with `error`, and closes the connection if the request has one: its response is no longer awaited. */
  end(error: Error): void {
    this.#ended = error;
    this.#controller?.abort(error);
    this.#fail(error);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#ended !== undefined) controller.abort(this.#ended);
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
    const turn = {
      begin: () => {
        controller.resume();
      },
      refuse: (error: Error) => {
        this.#turn = undefined;
        this.end(error);
      },
    };
    this.#turn = turn;
    controller.pause();
    this.#largeReplies.enter(turn);
  }

  #fail(error: Error): void {
    this.#settle.reject(error);
    this.#leave();
  }

  #leave(): void {
    if (this.#turn !== undefined) this.#largeReplies.leave(this.#turn);
    this.#turn = undefined;
  }
}

const EMPTY = Buffer.alloc(0);
