// The server of our services, with a handler that does nothing.
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { startRpcServer } from "@cloud/rpc";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { announce } from "../../harness/serve.ts";
import { CREDENTIAL } from "../trivial.ts";

const refuse = () => Promise.reject(new Error("no user calls"));

const { port } = await startRpcServer({
  host: "127.0.0.1",
  port: 0,
  services: [AccessService],
  routes: (router) => void router.service(AccessService, { checkAccess: () => ({ allowed: true }) }),
  authenticate: refuse,
  organizationIsLive: refuse,
  serviceCredentials: [{ name: "operator", secret: CREDENTIAL }],
  checkReady: async () => undefined,
  translate: () => undefined,
  telemetry: createTelemetry({ service: "bench", level: "warn" }),
});
announce(port);
