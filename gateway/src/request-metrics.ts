import { createDurations } from "@cloud/telemetry";
import type { Route, TranscoderCall } from "@cloud/transcoder";
import { Gauge, type Registry } from "prom-client";
import { statusOf } from "./replies.ts";

export interface RequestMetrics {
  /** Must be called when a request has arrived whose end is counted. */
  begin(): void;
  /** Must be called when the response has been sent. */
  end(call: TranscoderCall, status: number): void;
}

/**
 * Counts requests in flight, and measures each by method, path template and status, by OpenTelemetry's names. The series of
 * success and of faults begin at 0: for Prometheus, from no series to 1 is no increase.
 */
export function createRequestMetrics(registry: Registry, routes: readonly Route[]): RequestMetrics {
  const durations = createDurations({
    name: "http_server_request_duration_seconds",
    help: "Time from the first line of a REST request to the end of its response.",
    labelNames: ["http_request_method", "http_route", "http_response_status_code"],
    registry,
  });
  let active = 0;
  new Gauge({
    name: "http_server_active_requests",
    help: "REST requests in flight, watches included.",
    registers: [registry],
    collect() {
      this.set(active);
    },
  });
  // Only routes become labels: clients must not be able to create new time series.
  const labelsOf = (route: Route | undefined, status: number) => ({
    http_request_method: route?.httpMethod ?? "_OTHER",
    http_route: route?.template.text ?? "none",
    http_response_status_code: String(status),
  });
  for (const route of routes) {
    for (const status of [statusOf(route), 500, 503]) durations.zero(labelsOf(route, status));
  }
  return {
    begin: () => {
      active++;
    },
    end({ route, startedAt }, status) {
      active--;
      durations.observe(labelsOf(route, status), (performance.now() - startedAt) / 1_000);
    },
  };
}
