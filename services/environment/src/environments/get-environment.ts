import type { Caller } from "@cloud/contract";
import type { GetEnvironmentRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import type { Context } from "../context.ts";
import { environmentToProto } from "./environment-to-proto.ts";
import { requireEnvironment } from "./require-environment.ts";

export async function getEnvironment(context: Context, caller: Caller, request: GetEnvironmentRequest) {
  return { environment: environmentToProto(await requireEnvironment(context, caller, request.id)) };
}
