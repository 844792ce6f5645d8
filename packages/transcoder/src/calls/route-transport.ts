import type { IncomingHttpHeaders } from "node:http";
import type { DescMethodUnary } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";

/** The transport of a route: one of Connect's, which may also pass messages as bytes. */
export interface RouteTransport extends Transport {
  /**
   * Calls an RPC with the encoded `message` and returns the reply, which is not decoded. Throws the ConnectErrors of
   * `unary`. An abort of `signal` ends the call.
   */
  unaryBinary?(
    method: DescMethodUnary,
    signal: AbortSignal,
    deadlineMs: number,
    headers: Readonly<Record<string, string>>,
    message: Uint8Array,
  ): Promise<BinaryReply>;
}

/** Headers by their names in lower case. */
export type ReplyHeaders = Readonly<IncomingHttpHeaders>;

export interface BinaryReply {
  readonly message: Uint8Array;
  readonly headers: ReplyHeaders;
}
