import type { ServerResponse } from "node:http";
import { create, type DescMethodUnary, type DescService, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError, createContextValues, type HandlerContext, type UnaryRequest } from "@connectrpc/connect";
import { takesEncodedKey } from "../../encoded-reply.ts";
import { type ReceivedRequest, receivedKey, receivedOf } from "../received-request.ts";
import type { PlainRequest } from "./plain-request.ts";

/** One call: what the interceptors receive as the request, and the handler as its context. */
export class PlainCall implements UnaryRequest, HandlerContext {
  readonly stream = false;
  readonly requestMethod = "POST";
  readonly protocolName = "connect";
  readonly method: DescMethodUnary;
  readonly service: DescService;
  readonly url: string;
  readonly header: Headers;
  readonly contextValues = createContextValues();
  readonly isBinary: boolean;
  readonly received: ReceivedRequest;
  message: Message;
  /** The encoded reply. */
  reply: Uint8Array | undefined;
  readonly #controller = new AbortController();
  readonly #expiresAt: number | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #hasLeft = false;

  constructor({ request, served, contentType, timeoutMs }: PlainRequest, response: ServerResponse) {
    this.received = receivedOf(request);
    const { at } = this.received;
    this.method = served.method;
    this.service = served.method.parent;
    this.url = `http://${request.headers.host}${request.url}`;
    this.isBinary = contentType === "application/proto";
    this.header = headersOf(request.headers);
    this.message = create(served.method.input);
    this.contextValues.set(receivedKey, this.received).set(takesEncodedKey, this.isBinary);
    this.#expiresAt = timeoutMs === undefined ? undefined : at + timeoutMs;
    const expire = () => this.#controller.abort(new ConnectError("the operation timed out", Code.DeadlineExceeded));
    const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
    response.once("close", () => {
      clearTimeout(timer);
      if (response.writableFinished) return;
      this.#hasLeft = true;
      this.#controller.abort();
    });
  }

  /** Whether the caller has closed the connection, so that no reply can reach it. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Aborted when the caller leaves or the deadline passes. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get values() {
    return this.contextValues;
  }

  get requestHeader() {
    return this.header;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  timeoutMs(): number | undefined {
    return this.#expiresAt === undefined ? undefined : this.#expiresAt - performance.now();
  }
}

function headersOf(received: NodeJS.Dict<string | string[]>): Headers {
  const headers = new Headers();
  for (const name in received) {
    const value = received[name];
    if (typeof value === "string") headers.set(name, value);
    else for (const one of value ?? []) headers.append(name, one);
  }
  return headers;
}
