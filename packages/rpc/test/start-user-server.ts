import { create } from "@bufbuild/protobuf";
import { callerOf } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { newId, type UserId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { AuthenticateResponseSchema } from "@cloud/proto/identity/v1/auth_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { type RpcServer, type RpcServerOptions, startRpcServer } from "../src/index.ts";

export const PROFILE = "/identity.v1.UserService/GetProfile";
export const CHECK = "/workspace.v1.AccessService/CheckAccess";

export const USER = "a-user";
export const OPERATOR = "credential-of-operator";
export const WORKSPACE = "credential-of-workspace";

/** Starts a server of one RPC for users, `GetProfile`, and one for the operator, `CheckAccess`. */
export function startUserServer(options: Partial<RpcServerOptions> = {}): Promise<RpcServer> {
  return startRpcServer({
    host: "127.0.0.1",
    port: 0,
    services: [UserService, AccessService],
    routes: (router) => {
      router.service(UserService, {
        getProfile: (_request, context) => ({ profile: { firstName: callerOf(context).type } }),
      });
      router.service(AccessService, { checkAccess: () => ({ allowed: true }) });
    },
    authenticate: async (bearer) => {
      if (bearer !== USER) throw fail(Reason.UNAUTHENTICATED);
      return create(AuthenticateResponseSchema, { userId: newId<UserId>() });
    },
    organizationIsLive: async () => true,
    serviceCredentials: [
      { name: "operator", secret: OPERATOR },
      { name: "workspace", secret: WORKSPACE },
    ],
    checkReady: async () => undefined,
    translate: () => undefined,
    telemetry: createTelemetry({ service: "test", level: "silent", processMetrics: false }),
    ...options,
  });
}
