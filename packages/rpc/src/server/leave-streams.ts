import { Code, ConnectError } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";

/**
 * Ends the body of a stream whose caller has left. The library would write the end of the stream to the closed response,
 * and print that it failed; an aborted one it ends in silence.
 */
export function leaveStreams(handler: UniversalHandler): UniversalHandler {
  if (handler.method.methodKind === "unary") return handler;
  const handle: typeof handler = Object.assign(async (request: Parameters<UniversalHandler>[0]) => {
    const response = await handler(request);
    const { body } = response;
    return body === undefined || body instanceof Uint8Array
      ? response
      : { ...response, body: whilePresent(body, request.signal) };
  }, handler);
  return handle;
}

async function* whilePresent(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    if (signal.aborted) throw new ConnectError("the caller has left", Code.Aborted);
    yield chunk;
  }
}
