import type { Route, TranscoderCall } from "@cloud/transcoder";
import { Counter, Histogram, type Registry } from "prom-client";

export interface RequestMetrics {
  /** Must be called when the response has been sent. */
  end(call: TranscoderCall, status: number): void;
}

/** Counts requests and measures their duration in seconds, by method, path template and status. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const labelNames = ["method", "route", "status"] as const;
  const requests = new Counter({
    name: "gateway_requests_total",
    help: "REST requests completed.",
    labelNames,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: "gateway_request_duration_seconds",
    help: "Time from the first line of a REST request to the end of its response.",
    labelNames,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const seriesOf = memoize((route: Route | undefined, status: number) => {
    // Only routes become labels: clients must not be able to create new time series.
    const labels = [route?.httpMethod ?? "none", route?.template.text ?? "none", String(status)];
    return { requests: requests.labels(...labels), seconds: seconds.labels(...labels) };
  });
  return {
    end({ route, startedAt }, status) {
      const series = seriesOf(route, status);
      series.requests.inc();
      series.seconds.observe((performance.now() - startedAt) / 1_000);
    },
  };
}

/** Finding a series by its labels costs prom-client more than counting. */
function memoize<Series>(find: (route: Route | undefined, status: number) => Series) {
  const found = new Map<Route | undefined, Map<number, Series>>();
  return (route: Route | undefined, status: number): Series => {
    const ofRoute = found.get(route) ?? new Map<number, Series>();
    const series = ofRoute.get(status) ?? find(route, status);
    found.set(route, ofRoute.set(status, series));
    return series;
  };
}
