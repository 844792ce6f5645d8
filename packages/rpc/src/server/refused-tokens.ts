import { isMessage } from "@bufbuild/protobuf";
import {
  BatchAuthenticateRequestSchema,
  BatchAuthenticateResponseSchema,
} from "@cloud/proto/identity/v1/auth_service_pb";
import type { StreamRequest, StreamResponse, UnaryRequest, UnaryResponse } from "@connectrpc/connect";

/** Returns how many tokens a call of BatchAuthenticate has refused, though it succeeded; 0 for any other call. */
export function countRefusedTokens(
  request: UnaryRequest | StreamRequest,
  response: UnaryResponse | StreamResponse,
): number {
  const [asked, replied] = [request.message, response.message];
  if (!isMessage(asked, BatchAuthenticateRequestSchema) || !isMessage(replied, BatchAuthenticateResponseSchema)) {
    return 0;
  }
  return asked.tokens.length - Object.keys(replied.identities).length;
}
