import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { type RpcServer, startRpcServer } from "../src/index.ts";

/** Starts a server, on a free port, of a service none of whose RPCs has a handler. */
export function startUnbuiltServer(): Promise<RpcServer> {
  return startRpcServer({
    host: "127.0.0.1",
    port: 0,
    services: [WorkspaceService],
    routes: (router) => {
      router.service(WorkspaceService, {});
    },
    authenticate: () => Promise.reject(new Error("no users in this test")),
    organizationIsLive: async () => true,
    serviceCredentials: [],
    checkReady: async () => undefined,
    translate: () => undefined,
    telemetry: createTelemetry({ service: "test", level: "silent", processMetrics: false }),
  });
}
