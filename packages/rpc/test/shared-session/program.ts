// An RPC server as a program of its own, whose replies are as large as requested.
import { callerOf } from "@cloud/access";
import { newId, type OrganizationId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ConnectionService } from "@cloud/proto/environment/v1/connection_service_pb";
import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import { startOperatorServer } from "@cloud/runtime";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { startUserServer } from "../start-user-server.ts";

const MIB = 1024 * 1024;
const telemetry = createTelemetry({ service: "test", level: "silent" });
const { PORT, OPERATOR_PORT } = process.env;
const { readiness } = await startUserServer({
  port: Number(PORT),
  telemetry,
  services: [ConnectionService, DirectoryService],
  routes: (router) => {
    router.service(ConnectionService, {
      deleteConnection: async (_request, context) => {
        await callerOf(context).requireAccess(newId<OrganizationId>(), Reason.CONNECTION_NOT_FOUND);
        return {};
      },
    });
    router.service(DirectoryService, {
      selectTeams: ({ page }) => ({ teams: [{ name: "x".repeat(Number(page) * MIB) }] }),
      batchGetTeams: () => ({ teams: [] }),
    });
  },
});
await startOperatorServer({ host: "127.0.0.1", port: Number(OPERATOR_PORT), readiness, telemetry });
