import type { Caller } from "@cloud/access";
import type { ProvisionEnvironmentRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import type { Context } from "../context.ts";
import { createEnvironment } from "./create-environment.ts";

/** Creates a platform-provisioned environment; only the operator may call it. */
export async function provisionEnvironment(context: Context, caller: Caller, request: ProvisionEnvironmentRequest) {
  return createEnvironment(context, caller, request, true);
}
