import { setTimeout as delay } from "node:timers/promises";
import type { DescService } from "@bufbuild/protobuf";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@cloud/proto/grpc/health/v1/health_pb";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";

/** How often a watcher looks at the shared status, in milliseconds. */
const WATCH_INTERVAL_MS = 1_000;

/**
 * Serves grpc.health.v1.Health for the server as a whole (empty name) and each of its services. Every request asks
 * `isReady`, which shares its checks.
 */
export function registerHealth(
  router: ConnectRouter,
  services: readonly DescService[],
  isReady: () => Promise<boolean>,
): void {
  const known = new Set(["", ...services.map((service) => service.typeName)]);
  const status = async () => ((await isReady()) ? Status.SERVING : Status.NOT_SERVING);
  router.service(Health, {
    async check({ service }) {
      if (!known.has(service)) {
        throw new ConnectError("unknown service", Code.NotFound);
      }
      return { status: await status() };
    },
    async list() {
      const now = await status();
      return { statuses: Object.fromEntries([...known].map((name) => [name, { status: now }])) };
    },
    async *watch({ service }, { signal }) {
      let last: Status | undefined;
      while (!signal.aborted) {
        const now = known.has(service) ? await status() : Status.SERVICE_UNKNOWN;
        if (now !== last) {
          last = now;
          yield { status: now };
        }
        await delay(WATCH_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    },
  });
}
