import { create } from "@bufbuild/protobuf";
import { reasonOf } from "@cloud/contract";
import { atMostOncePerSecond, type Readiness } from "@cloud/program";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { Health, HealthCheckRequestSchema } from "@cloud/proto/grpc/health/v1/health_pb";
import type { Transport } from "@connectrpc/connect";
import type { Upstreams } from "./services.ts";

/**
 * Creates the gateway's readiness. It stays ready while any service is reachable: requests to a service that is down fail
 * with 503, and must not take the rest of the API with them.
 */
export function createReadiness(upstreams: Upstreams, isLeaving: () => boolean): () => Promise<Readiness> {
  const check = atMostOncePerSecond(() => unreachableServices(upstreams));
  return async () => {
    if (isLeaving()) return { ready: false, lines: ["stopping"] };
    const unreachable = await check();
    const line = unreachable.length === 0 ? "ready" : `not reachable: ${unreachable.join(", ")}`;
    return { ready: unreachable.length < Object.keys(upstreams).length, lines: [line] };
  };
}

/**
 * Returns the names of the services that cannot be reached within a second. Any reply counts as reached: a service
 * whose own database is down reports that in its own readiness, and must not make the whole API unready.
 */
async function unreachableServices(upstreams: Upstreams): Promise<string[]> {
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
