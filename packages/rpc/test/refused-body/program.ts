// An RPC server as a program of its own, so that its CPU time is not the client's.

import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { startOperatorServer } from "@cloud/runtime";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { startUserServer } from "../start-user-server.ts";

const telemetry = createTelemetry({ service: "test", level: "silent" });
const { PORT, OPERATOR_PORT } = process.env;
const { readiness } = await startUserServer({
  port: Number(PORT),
  services: [EnvironmentService],
  routes: (router) => {
    router.service(EnvironmentService, {});
  },
  telemetry,
});
await startOperatorServer({ host: "127.0.0.1", port: Number(OPERATOR_PORT), readiness, telemetry });
