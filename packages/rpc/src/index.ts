export { createAuthenticator } from "./authenticator.ts";
export { createBatchLoader } from "./batch-loader.ts";
export {
  createServiceTransport,
  type ServiceTransport,
  type ServiceTransportOptions,
} from "./client/service-transport.ts";
export { type Decoded, EncodedReply, forwardReply, takesEncodedKey } from "./encoded-reply.ts";
export { READ_HEADERS, SENT_HEADERS } from "./server/allow-origins.ts";
export type { TokenLimit } from "./server/identify-caller.ts";
export type { RefusedCallers } from "./server/refused-callers.ts";
export { type RpcServer, type RpcServerOptions, startRpcServer } from "./server/start-rpc-server.ts";
export { openTlsFiles, type TlsFiles } from "./tls.ts";
