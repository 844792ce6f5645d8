import { fail } from "@cloud/contract";
import { createAdmission, createAdmissionMetrics, type InFlightLimit } from "@cloud/program";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Telemetry } from "@cloud/telemetry";
import type { RouteTransport, TranscoderCall } from "@cloud/transcoder";
import type { Upstreams } from "./services.ts";

/** One for all refusals: to create it costs more than to send it. */
const busy = fail(Reason.OVERLOADED);

export interface AdmittedUpstreams {
  /** The same transports; a call beyond the limit of its service is refused. */
  readonly upstreams: Upstreams;
  /** Refuses a request to a service whose limit is reached, before its body is read. */
  readonly assertRoom: (call: TranscoderCall) => void;
}

/**
 * Bounds the requests in flight to each service by a limit of its own: a service that is slow or silent fills only its
 * own, and the requests to the others are still served.
 */
export function admitToUpstreams(upstreams: Upstreams, limit: InFlightLimit, telemetry: Telemetry): AdmittedUpstreams {
  const metrics = createAdmissionMetrics(telemetry);
  const doors = new Map<RouteTransport, () => void>();
  const admit = (name: keyof Upstreams): RouteTransport => {
    const transport = upstreams[name];
    const admission = createAdmission({ limit, metrics, work: name, refuse: () => busy });
    const admitted: RouteTransport = {
      stream: transport.stream,
      unary: (...call) => admission.run(() => transport.unary(...call)),
    };
    const { unaryBinary } = transport;
    if (unaryBinary !== undefined) admitted.unaryBinary = (...call) => admission.run(() => unaryBinary(...call));
    doors.set(admitted, admission.assertRoom);
    return admitted;
  };
  return {
    upstreams: { workspace: admit("workspace"), environment: admit("environment"), identity: admit("identity") },
    assertRoom: ({ route }) => (route === undefined ? undefined : doors.get(route.transport)?.()),
  };
}
