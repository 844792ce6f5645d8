import { Code, ConnectError } from "@connectrpc/connect";
import type { Exchange } from "./exchange.ts";
import type { PeerConnections } from "./peer-connections.ts";
import { type BinaryReply, callError, readReply } from "./read-reply.ts";
import { retryUnprocessed } from "./retry-unprocessed.ts";

export interface UnaryCallOptions {
  /** As of HTTP; `body` is the encoded message. */
  readonly request: Parameters<PeerConnections["begin"]>[0];
  /** Ends the call when its caller has left. */
  readonly signal: AbortSignal | undefined;
  /** Milliseconds of the whole call, resent or not; without limit if not positive. */
  readonly timeoutMs: number;
}

/** Makes one call. @throws ConnectError */
export async function callUnary(connections: PeerConnections, options: UnaryCallOptions): Promise<BinaryReply> {
  const { request, signal, timeoutMs } = options;
  let current: Exchange | undefined;
  let ended: ConnectError | undefined;
  const end = (error: ConnectError) => {
    ended = error;
    current?.end(error);
  };
  const assertOpen = () => {
    if (ended !== undefined) throw ended;
  };
  const leave = () => end(new ConnectError("This operation was aborted", Code.Canceled));
  const expire = () => end(new ConnectError("the operation timed out", Code.DeadlineExceeded));
  const exchange = async () => {
    current = connections.begin(request);
    return readReply(await current.reply);
  };

  if (signal?.aborted) leave();
  assertOpen();
  signal?.addEventListener("abort", leave, { once: true });
  const timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : undefined;
  try {
    return await retryUnprocessed(exchange, assertOpen);
  } catch (error) {
    throw callError(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}
