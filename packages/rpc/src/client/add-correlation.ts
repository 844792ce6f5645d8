import type { Correlation } from "@cloud/telemetry";

/** Adds the headers by which the peer continues the request; see `correlationFrom`, which reads them. */
export function addCorrelation(correlation: Correlation | undefined, add: (name: string, value: string) => void): void {
  if (correlation === undefined) return;
  const { requestId, traceparent, tracestate } = correlation;
  if (requestId !== "") add("x-request-id", requestId); // protects: request-id
  if (traceparent !== "") add("traceparent", traceparent);
  if (tracestate !== "") add("tracestate", tracestate);
}
