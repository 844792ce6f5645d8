import { type Correlation, correlationFrom } from "@cloud/telemetry";

/** Names of headers, by those of HTTP: attributes of CloudEvents, two of them of its extension for distributed tracing. */
const NAMES = {
  "x-request-id": "ce-requestid",
  traceparent: "ce-traceparent",
  tracestate: "ce-tracestate",
} as const;

type EventHeaders = Readonly<Record<string, string>>;

/** Returns the headers of an event that is caused by a request; none without one. */
export function writeEventCorrelation(correlation: Correlation | undefined): Record<string, string> {
  if (correlation === undefined) return {};
  const { requestId, traceparent, tracestate } = correlation;
  return {
    ...(requestId !== "" && { [NAMES["x-request-id"]]: requestId }),
    ...(traceparent !== "" && { [NAMES.traceparent]: traceparent }),
    ...(tracestate !== "" && { [NAMES.tracestate]: tracestate }),
  };
}

/**
 * Returns the request that caused an event. Undefined for an event of no request, and for one of a release before 0.2, whose
 * outbox has no id.
 */
export function readEventCorrelation(headers: EventHeaders): Correlation | undefined {
  const { [NAMES["x-request-id"]]: requestId, [NAMES.traceparent]: traceparent } = headers;
  if (requestId === undefined && traceparent === undefined) return undefined;
  return correlationFrom({ "x-request-id": requestId, traceparent, tracestate: headers[NAMES.tracestate] });
}
