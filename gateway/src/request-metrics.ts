import { createDurations, type DurationSeries } from "@cloud/telemetry";
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
  const seriesOf = memoize((route: Route | undefined, status: number) =>
    // Only routes become labels: clients must not be able to create new time series.
    durations.series(route?.httpMethod ?? "_OTHER", route?.template.text ?? "none", String(status)),
  );
  for (const route of routes) {
    for (const status of [statusOf(route), 500, 503]) seriesOf(route, status);
  }
  return {
    begin: () => {
      active++;
    },
    end({ route, startedAt }, status) {
      active--;
      seriesOf(route, status).observe((performance.now() - startedAt) / 1_000);
    },
  };
}

/** Finding a series by its labels costs more than counting. */
function memoize(find: (route: Route | undefined, status: number) => DurationSeries) {
  const found = new Map<Route | undefined, Map<number, DurationSeries>>();
  return (route: Route | undefined, status: number): DurationSeries => {
    const ofRoute = found.get(route) ?? new Map<number, DurationSeries>();
    const known = ofRoute.get(status);
    if (known !== undefined) return known;
    const series = find(route, status);
    found.set(route, ofRoute.set(status, series));
    return series;
  };
}
