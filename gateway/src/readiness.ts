import { create } from "@bufbuild/protobuf";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { Health, HealthCheckRequestSchema } from "@cloud/proto/grpc/health/v1/health_pb";
import { reasonOf } from "@cloud/rpc";
import type { Transport } from "@connectrpc/connect";
import type { Upstreams } from "./services.ts";

/**
 * Answers the names of the services that cannot be reached within a second. One that answers at all counts as reached:
 * that its own database is down is its own readiness, and must not take the whole API out.
 */
export async function unreachableServices(upstreams: Upstreams): Promise<string[]> {
  const checks = Object.entries(upstreams).map(async ([name, transport]) =>
    (await isReached(transport)) ? [] : [name],
  );
  return (await Promise.all(checks)).flat();
}

async function isReached(transport: Transport): Promise<boolean> {
  try {
    await transport.unary(Health.method.check, undefined, 1_000, undefined, create(HealthCheckRequestSchema));
    return true;
  } catch (error) {
    return ![Reason.UNAVAILABLE, Reason.DEADLINE_EXCEEDED].some((reason) => reason === reasonOf(error));
  }
}
