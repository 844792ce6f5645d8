import { FLAG, FRAME, frame } from "./http2-frames.ts";

export interface NewStreams {
  readonly headers: Buffer;
  /** The body, sent whole; absent if it never comes. */
  readonly body?: Buffer;
  /** The streams to open at first, and later each time. */
  readonly first: number;
  readonly later: number;
}

/** Yields the frames that open streams, again and again. */
export function* openStreams({ headers, body, first, later }: NewStreams): Generator<Buffer, never> {
  for (let [stream, count] = [1, first]; ; count = later) {
    const frames: Buffer[] = [];
    for (let opened = 0; opened < count; opened++, stream += 2) {
      frames.push(frame(FRAME.headers, FLAG.endHeaders, stream, headers));
      if (body !== undefined) frames.push(frame(FRAME.data, FLAG.endStream, stream, body));
    }
    yield Buffer.concat(frames);
  }
}
