import type { DescMethod } from "@bufbuild/protobuf";
import { createDurations, type Histogram, type Telemetry } from "@cloud/telemetry";
import { Code } from "@connectrpc/connect";

/** The status of a call that succeeded, besides the codes of errors. */
export const OK = 0;

/** Durations of calls by method and status. */
export interface CallDurations {
  /** `since` is of `performance.now()`. */
  end(method: DescMethod, status: typeof OK | Code, since: number): void;
}

/** Every label is of OpenTelemetry's conventions: docs/metrics.md. */
const LABELS = ["rpc_system_name", "rpc_method", "rpc_response_status_code"] as const;

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
    for (const status of [OK, Code.Internal, Code.Unavailable] as const) durations.zero(labelsOf(method, status));
  }
  return callDurations(durations, {});
}

const OF_PEERS = "rpc_client_call_duration_seconds";

/** Creates the durations of the calls to a peer; those to all peers of a program are one histogram. */
export function createPeerDurations(registry: Telemetry["metrics"], peer: string): CallDurations {
  const known = registry.getSingleMetric(OF_PEERS) as Histogram | undefined;
  const help = "How long calls to peers took, repetitions included.";
  const labelNames = [...LABELS, "server_address"];
  const durations = known ?? createDurations({ name: OF_PEERS, help, labelNames, registry });
  return callDurations(durations, { server_address: peer });
}

function callDurations(durations: Histogram, more: Readonly<Record<string, string>>): CallDurations {
  return {
    end: (method, status, since) =>
      durations.observe({ ...labelsOf(method, status), ...more }, (performance.now() - since) / 1_000),
  };
}

const labelsOf = ({ parent, name }: DescMethod, status: typeof OK | Code) => ({
  rpc_system_name: "connectrpc",
  rpc_method: `${parent.typeName}/${name}`,
  rpc_response_status_code: NAMES.get(status) ?? "OK",
});

/** As gRPC spells them: `NOT_FOUND`. */
const NAMES: ReadonlyMap<Code | typeof OK, string> = new Map(
  Object.entries(Code).flatMap(([name, code]) =>
    typeof code === "number" ? [[code, name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()] as const] : [],
  ),
);
