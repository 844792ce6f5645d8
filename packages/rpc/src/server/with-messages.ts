import type { StreamResponse } from "@connectrpc/connect";

/** Returns the response of a stream with its messages read by `read`. */
export function withMessages(
  response: StreamResponse,
  read: (messages: StreamResponse["message"]) => AsyncIterable<unknown>,
): StreamResponse {
  return { ...response, message: read(response.message) as StreamResponse["message"] };
}
