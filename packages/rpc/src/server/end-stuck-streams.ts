import { constants, type Http2Server, type Http2Stream } from "node:http2";

export interface StreamTimes {
  /** Milliseconds within which a client must have sent its whole request. */
  readonly requestMs: number;
  /** Milliseconds within which it must have taken a reply that is complete. */
  readonly replyMs: number;
}

/** How often the streams are looked at. */
const SWEEP_MS = 1_000;

/**
 * Resets a stream whose client does not finish its request, or does not take its reply (a window of 0). Node has such
 * limits for HTTP/1.1 only: streams without a body were kept for over 7 minutes. A stream that the server has not
 * finished, such as a watch, may stay open.
 */
export function endStuckStreams(h2c: Http2Server, { requestMs, replyMs }: StreamTimes): { stop(): void } {
  const open = new Map<Http2Stream, { readonly since: number; repliedAt?: number }>();
  h2c.on("stream", (stream) => {
    open.set(stream, { since: performance.now() });
    stream.once("close", () => open.delete(stream));
  });
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [stream, times] of open) {
      if (stream.writableEnded) times.repliedAt ??= now;
      const isOpen = stream.state.state === constants.NGHTTP2_STREAM_STATE_OPEN; // its client has not ended the request
      const tooSlow = isOpen && now - times.since > requestMs;
      const notTaken = times.repliedAt !== undefined && now - times.repliedAt > replyMs;
      if (tooSlow || notTaken) stream.close(constants.NGHTTP2_CANCEL);
    }
  }, SWEEP_MS).unref();
  return { stop: () => clearInterval(sweep) };
}
