import type { IncomingHttpHeaders } from "node:http";
import { CALLER_ID_HEADER, fail } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeFromHttpStatus, errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import { faultOfThisProgram } from "../undecodable.ts";
import type { Exchange, HttpReply } from "./exchange.ts";
import type { PeerConnections } from "./peer-connections.ts";
import { NotProcessedError, retryUnprocessed } from "./retry-unprocessed.ts";

/** The encoded message of a reply, and its headers by their names in lower case. */
export interface BinaryReply {
  readonly message: Uint8Array;
  readonly headers: IncomingHttpHeaders;
}

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

/**
 * Returns the message in a reply, still encoded. @throws NotProcessedError when the server closes the connection instead,
 * ConnectError with the error of the reply, or with one for its status when no RPC server has sent it
 */
function readReply({ status, headers, body }: HttpReply): BinaryReply {
  const contentType = headers["content-type"] ?? "";
  if (status === 200 && contentType === "application/proto") return { message: body, headers };
  if (status === 408) throw new NotProcessedError("the server was closing the connection");
  const unexpected = new ConnectError(`HTTP ${status} ${contentType}`, codeFromHttpStatus(status));
  const caller = headers[CALLER_ID_HEADER];
  const metadata = typeof caller === "string" ? { [CALLER_ID_HEADER]: caller } : undefined;
  throw contentType === "application/json" ? errorFromJsonBytes(body, metadata, unexpected) : unexpected;
}

/** Returns the error that a caller receives for what ended its call. */
function callError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return faultOfThisProgram(error) ?? error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return fail(Reason.ANSWER_TOO_LARGE, {}, error);
  // The connection could not be made, or it broke.
  return new ConnectError(message, Code.Unavailable, undefined, undefined, error);
}
