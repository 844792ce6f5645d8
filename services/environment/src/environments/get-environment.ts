import type { GetEnvironmentRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import type { Caller } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { environmentToProto } from "./environment-to-proto.ts";
import { findEnvironment } from "./find-environment.ts";

export async function getEnvironment(context: Context, caller: Caller, request: GetEnvironmentRequest) {
  return { environment: environmentToProto(await findEnvironment(context, caller, request.id)) };
}
