import { fail } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeFromHttpStatus, errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import { faultOfThisProgram } from "../undecodable.ts";
import type { HttpReply } from "./exchange.ts";
import { NotProcessedError } from "./retry-unprocessed.ts";

/**
 * Returns the bytes of the message in a reply. @throws NotProcessedError when the server closes the connection instead,
 * ConnectError with the error of the reply, or with one for its status when no RPC server has sent it
 */
export function readReply({ status, contentType, body }: HttpReply): Uint8Array {
  if (status === 200 && contentType === "application/proto") return body;
  if (status === 408) throw new NotProcessedError("the server was closing the connection");
  const unexpected = new ConnectError(`HTTP ${status} ${contentType}`, codeFromHttpStatus(status));
  throw contentType === "application/json" ? errorFromJsonBytes(body, undefined, unexpected) : unexpected;
}

/** Returns the error that a caller receives for what ended its call. */
export function callError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return faultOfThisProgram(error) ?? error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return fail(Reason.ANSWER_TOO_LARGE, {}, error);
  // The connection could not be made, or it broke.
  return new ConnectError(message, Code.Unavailable, undefined, undefined, error);
}
