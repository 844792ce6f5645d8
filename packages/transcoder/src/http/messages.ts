import { type IncomingHttpHeaders, validateHeaderName, validateHeaderValue } from "node:http";
import type { Readable } from "node:stream";

/** A request of node:http or node:http2, or of fetch in their form: the body is read from it. */
export interface HttpRequest extends Readable {
  readonly method?: string | undefined;
  /** The target, such as `/v1/books?page_size=5`. */
  readonly url?: string | undefined;
  /** The headers by their names in lower case; several of one name are joined as node:http does. */
  readonly headers: IncomingHttpHeaders;
  /** Whether all of it has been received. */
  readonly complete: boolean;
}

/** An HTTP response that is not yet written. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text or bytes; undefined for none, and for a stream. */
  readonly body: string | Uint8Array | undefined;
  /** The encoding of a text body: latin1 if its characters are bytes; UTF-8 if absent. */
  readonly encoding?: "latin1";
  /** The parts of a body that are written as they come, in place of `body`. */
  readonly stream?: ResponseStream;
}

/** A body in parts. Each is asked for when the one before has been written, so that a slow client slows the call. */
export interface ResponseStream {
  /** Returns the next part, or how the body ends. Never rejects. */
  next(): Promise<StreamPart>;
  /** Milliseconds for which a client may leave what is written unread. */
  readonly unreadMs: number;
}

/** A body that is cut must not look complete to its client. */
export type StreamPart = { readonly chunk: string | Uint8Array } | "end" | "cut";

export type Headers = Readonly<Record<string, string>>;

/** Names of headers, or a function that returns headers. */
export type RequestMetadata = readonly string[] | ((request: HttpRequest) => Headers);

export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Finds the value of a header, however its name is spelled; `name` is in lower case. */
export function findHeader(headers: Headers, name: string): string | undefined {
  const spelled = findHeaderName(headers, name);
  return spelled === undefined ? undefined : headers[spelled];
}

/** Finds the name of a header as it is spelled; `name` is in lower case. */
export function findHeaderName(headers: Headers, name: string): string | undefined {
  for (const spelled in headers) if (spelled.length === name.length && spelled.toLowerCase() === name) return spelled;
  return undefined;
}

/** Whether HTTP can carry a header; a line break in it would begin another one. */
export function isSendable(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
