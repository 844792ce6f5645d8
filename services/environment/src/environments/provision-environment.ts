import type { ProvisionEnvironmentRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import type { Caller } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { createEnvironment } from "./create-environment.ts";

/** Creates a platform-provisioned environment; the interceptor lets only service credentials come here. */
export async function provisionEnvironment(context: Context, caller: Caller, request: ProvisionEnvironmentRequest) {
  return createEnvironment(context, caller, request, true);
}
