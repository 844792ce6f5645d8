import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import type { ServerLimits } from "@cloud/runtime/limits";
import { createTelemetry, type Telemetry } from "@cloud/runtime/telemetry";
import type { ServiceImpl } from "@connectrpc/connect";
import { type RpcServer, startRpcServer, type TlsFiles } from "../src/index.ts";

/** The credential that the server accepts. */
export const TOKEN = "a-service-credential";

interface AccessServerOptions {
  /** A free port if absent. */
  readonly port?: number;
  readonly sessionAgeMs?: number;
  readonly telemetry?: Telemetry;
  readonly limits?: ServerLimits;
  readonly tls?: TlsFiles;
}

/** Starts a server with one RPC, for services only. */
export function startAccessServer(
  checkAccess: NonNullable<ServiceImpl<typeof AccessService>["checkAccess"]>,
  { port = 0, ...options }: AccessServerOptions = {},
): Promise<RpcServer> {
  return startRpcServer({
    host: "127.0.0.1",
    port,
    services: [AccessService],
    routes: (router) => router.service(AccessService, { checkAccess }),
    authenticate: () => Promise.reject(new Error("only services call")),
    organizationIsLive: async () => true,
    serviceCredentials: [{ name: "operator", secret: TOKEN }],
    checkReady: async () => undefined,
    translate: () => undefined,
    telemetry: createTelemetry({ service: "test", level: "silent", processMetrics: false }),
    ...options,
  });
}
