/** An HTTP response that is not yet written. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text or bytes; undefined for none, and for a stream. */
  readonly body: string | Uint8Array | undefined;
  /** latin1 if the text is bytes, one character for each; otherwise it is sent as UTF-8. */
  readonly encoding?: "latin1";
  /** Written as it comes, in place of `body`. */
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
