import { fail, reasonOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { addCorrelation, currentCorrelation } from "@cloud/runtime/telemetry";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { MAX_ANSWER_BYTES } from "../message-limits.ts";
import { replacing, withMessages } from "../stream-messages.ts";
import type { TlsFiles } from "../tls.ts";
import { connectInTime } from "./connect-in-time.ts";

/**
 * Creates the function that opens server streams. The library makes the calls, because a stream is opened rarely. Each
 * stream has a connection of its own, so that a slow one holds up no other.
 *
 * No deadline is sent: a stream lasts as long as both sides like. The peer sends signs of life, whose absence the
 * caller has to notice.
 */
export function createServerStreams(url: URL, serviceToken: string | undefined, tls: TlsFiles | undefined) {
  const transport = createConnectTransport({
    baseUrl: url.href,
    httpVersion: "1.1",
    useBinaryFormat: true,
    acceptCompression: [],
    readMaxBytes: MAX_ANSWER_BYTES,
    nodeOptions: {
      createConnection: (_options, connected) => {
        connectInTime(url, tls?.read(), connected as Parameters<typeof connectInTime>[2]);
        return undefined;
      },
    },
  });
  const stream: Transport["stream"] = async (method, signal, _timeoutMs, headers, input) => {
    const own = new Headers(headers);
    addCorrelation(currentCorrelation(), (name, value) => own.set(name, value));
    if (serviceToken !== undefined && !own.has("authorization")) own.set("authorization", `Bearer ${serviceToken}`);
    try {
      const response = await transport.stream(method, signal, 0, own, input);
      return withMessages(response, (messages) => replacing(messages, ownError));
    } catch (error) {
      throw ownError(error);
    }
  };
  return stream;
}

/** Returns UNAVAILABLE for a lost connection, which the library reports as another error. */
function ownError(error: unknown): ConnectError {
  const connectError = ConnectError.from(error);
  return reasonOf(connectError) === Reason.INTERNAL ? fail(Reason.UNAVAILABLE, {}, error) : connectError;
}
