import { constants, type Http2Session, type Http2Stream } from "node:http2";

/** With the largest message on each, half of what a session may hold. */
const MAX_CUT_STREAMS = 2;

/** The memory of a session in megabytes, Node's default being 10: two cut streams and as much in transit. */
export const MAX_SESSION_MEGABYTES = 64;

const cutStreams = new WeakMap<Http2Session, number>();

/**
 * Counts the stream of a session if it closes before all that was written to it is sent. Node 26 counts the unsent bytes
 * towards the session's memory until the session ends, and refuses all streams once the memory is used up: five callers
 * that disconnected during an answer of 2 MB made every other call of the connection fail.
 */
export function watchForCut(session: Http2Session, stream: Http2Stream): void {
  stream.once("close", () => {
    const isCut = !stream.writableFinished && stream.sentHeaders !== undefined;
    const count = stream.rstCode === REFUSED_FOR_MEMORY ? MAX_CUT_STREAMS : Number(isCut);
    cutStreams.set(session, (cutStreams.get(session) ?? 0) + count);
  });
}

/** Returns whether so many streams were cut, or one was refused, that the session should be replaced by a new one. */
export function isWorn(session: Http2Session): boolean {
  return (cutStreams.get(session) ?? 0) >= MAX_CUT_STREAMS;
}

const REFUSED_FOR_MEMORY = constants.NGHTTP2_ENHANCE_YOUR_CALM;
