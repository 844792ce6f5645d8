import { fail } from "@cloud/contract";
import { createAdmission, createAdmissionMetrics, type InFlightLimit } from "@cloud/program";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Telemetry } from "@cloud/telemetry";
import type { Route, RouteTransport } from "@cloud/transcoder";
import type { Upstreams } from "./services.ts";

/** One for all refusals: to create it costs more than to send it. */
export const busy = fail(Reason.OVERLOADED);

export interface AdmittedUpstreams {
  /** The same transports; a call beyond the limit of its service is refused. */
  readonly upstreams: Upstreams;
  /** Creates the check of arriving requests. @throws TypeError if paths with the same first segment lead to two services */
  readonly createRoomCheck: (routes: readonly Route[]) => HasRoom;
}

/**
 * Returns whether the service that serves a path takes a further request, and counts a refusal otherwise. All paths with the
 * same first segment after `/api` lead to one service, so that a refusal needs no route. A path with another segment has
 * room: a call that comes of it is refused by its transport.
 */
export type HasRoom = (path: string) => boolean;

/**
 * Bounds the requests in flight to each service by a limit of its own: a service that is slow or silent fills only its
 * own, and the requests to the others are still served.
 */
export function admitToUpstreams(upstreams: Upstreams, limit: InFlightLimit, telemetry: Telemetry): AdmittedUpstreams {
  const metrics = createAdmissionMetrics(telemetry);
  const checks = new Map<RouteTransport, () => boolean>();
  const admit = (name: keyof Upstreams): RouteTransport => {
    const transport = upstreams[name];
    const admission = createAdmission({ limit, metrics, work: name, refuse: () => busy });
    const admitted: RouteTransport = {
      stream: transport.stream,
      unary: (...call) => admission.run(() => transport.unary(...call)),
    };
    const { unaryBinary } = transport;
    if (unaryBinary !== undefined) admitted.unaryBinary = (...call) => admission.run(() => unaryBinary(...call));
    checks.set(admitted, admission.hasRoom);
    return admitted;
  };
  return {
    upstreams: { workspace: admit("workspace"), environment: admit("environment"), identity: admit("identity") },
    createRoomCheck(routes) {
      const bySegment = new Map<string, () => boolean>();
      for (const { template, transport } of routes) {
        const segment = firstSegment(template.text);
        const check = checks.get(transport) ?? always;
        if ((bySegment.get(segment) ?? check) !== check) throw new TypeError(`/api/${segment} leads to two services`);
        bySegment.set(segment, check);
      }
      return (path) => (bySegment.get(firstSegment(path)) ?? always)();
    },
  };
}

const always = () => true;

/** Of a path below `/api`; of another one none. */
function firstSegment(path: string): string {
  if (!path.startsWith(API)) return "";
  const end = path.indexOf("/", API.length);
  return path.slice(API.length, end < 0 ? undefined : end);
}

const API = "/api/";
