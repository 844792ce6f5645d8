import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { createTelemetry } from "@cloud/telemetry";
import type { ServiceImpl } from "@connectrpc/connect";
import { type RpcServer, startRpcServer } from "../src/index.ts";

/** The credential that the server takes. */
export const TOKEN = "a-service-credential";

/** A server of one RPC, for services only, on a free port. */
export function startAccessServer(
  checkAccess: NonNullable<ServiceImpl<typeof AccessService>["checkAccess"]>,
  options: { readonly sessionAgeMs?: number } = {},
): Promise<RpcServer> {
  return startRpcServer({
    host: "127.0.0.1",
    port: 0,
    services: [AccessService],
    routes: (router) => router.service(AccessService, { checkAccess }),
    authenticate: () => Promise.reject(new Error("only services call")),
    organizationIsLive: async () => true,
    serviceTokens: [TOKEN],
    checkReady: async () => undefined,
    translate: () => undefined,
    telemetry: createTelemetry({ service: "test", level: "silent", processMetrics: false }),
    ...options,
  });
}
