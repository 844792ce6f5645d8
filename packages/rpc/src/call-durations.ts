import type { DescMethod } from "@bufbuild/protobuf";
import { createDurations, type DurationSeries, type Durations, type Telemetry } from "@cloud/telemetry";
import { Code } from "@connectrpc/connect";

/** The status of a call that succeeded, besides the codes of errors. */
export const OK = 0;

/** Durations of calls by method and status. */
export interface CallDurations {
  /** `since` is of `performance.now()`. */
  end(method: DescMethod, status: typeof OK | Code, since: number): void;
}

/** Every label is of OpenTelemetry's conventions: docs/metrics.md. */
const LABELS = ["rpc_system_name", "rpc_method", "rpc_response_status_code"];
const SYSTEM = "connectrpc";

export interface CallDurationsOptions {
  readonly name: string;
  readonly help: string;
  readonly registry: Telemetry["metrics"];
  readonly methods: Iterable<DescMethod>;
}

/**
 * Creates the durations of the calls that a program serves. The series of success and of the server's own faults begin at
 * 0: for Prometheus, from no series to 1 is no increase. Those of the callers' mistakes appear with the first, or there
 * would be 17 series for each method.
 */
export function createCallDurations({ methods, ...options }: CallDurationsOptions): CallDurations {
  const durations = createDurations({ ...options, labelNames: LABELS });
  for (const method of methods) {
    for (const status of [OK, Code.Internal, Code.Unavailable] as const) {
      durations.series(SYSTEM, routeOf(method), nameOf(status));
    }
  }
  return callDurations(durations, []);
}

const ofCalls = new WeakMap<Telemetry["metrics"], Durations>();

/** Creates the durations of the calls to a peer; those to all peers of a program are one histogram. */
export function createPeerDurations(registry: Telemetry["metrics"], peer: string): CallDurations {
  const durations =
    ofCalls.get(registry) ??
    createDurations({
      name: "rpc_client_call_duration_seconds",
      help: "How long calls to peers took, repetitions included.",
      labelNames: [...LABELS, "server_address"],
      registry,
    });
  ofCalls.set(registry, durations);
  return callDurations(durations, [peer]);
}

function callDurations(durations: Durations, more: readonly string[]): CallDurations {
  const known = new Map<DescMethod, (DurationSeries | undefined)[]>();
  return {
    end: (method, status, since) => {
      const ofMethod = known.get(method) ?? [];
      let series = ofMethod[status];
      if (series === undefined) {
        series = durations.series(SYSTEM, routeOf(method), nameOf(status), ...more);
        ofMethod[status] = series;
        known.set(method, ofMethod);
      }
      series.observe((performance.now() - since) / 1_000);
    },
  };
}

const routeOf = ({ parent, name }: DescMethod) => `${parent.typeName}/${name}`;

/** As gRPC spells it: `NOT_FOUND`. */
function nameOf(status: typeof OK | Code): string {
  return status === OK ? "OK" : Code[status].replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}
