import type { IncomingHttpHeaders } from "node:http";
import { CALLER_ID_HEADER, fail } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeFromHttpStatus, errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import { faultOfThisProgram } from "../undecodable.ts";
import type { HttpReply } from "./exchange.ts";
import { NotProcessedError } from "./retry-unprocessed.ts";

/** The encoded message of a reply, and its headers by their names in lower case. */
export interface BinaryReply {
  readonly message: Uint8Array;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Returns the message in a reply, still encoded. @throws NotProcessedError when the server closes the connection instead,
 * ConnectError with the error of the reply, or with one for its status when no RPC server has sent it
 */
export function readReply({ status, headers, body }: HttpReply): BinaryReply {
  const contentType = headers["content-type"] ?? "";
  if (status === 200 && contentType === "application/proto") return { message: body, headers };
  if (status === 408) throw new NotProcessedError("the server was closing the connection");
  const unexpected = new ConnectError(`HTTP ${status} ${contentType}`, codeFromHttpStatus(status));
  const caller = headers[CALLER_ID_HEADER];
  const metadata = typeof caller === "string" ? { [CALLER_ID_HEADER]: caller } : undefined;
  throw contentType === "application/json" ? errorFromJsonBytes(body, metadata, unexpected) : unexpected;
}

/** Returns the error that a caller receives for what ended its call. */
export function callError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return faultOfThisProgram(error) ?? error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return fail(Reason.ANSWER_TOO_LARGE, {}, error);
  // The connection could not be made, or it broke.
  return new ConnectError(message, Code.Unavailable, undefined, undefined, error);
}
