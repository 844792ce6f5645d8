import type { IncomingMessage } from "node:http";
import type { TranscoderCall } from "@cloud/transcoder";
import { Counter, Histogram, type Registry } from "prom-client";

export interface RequestMetrics {
  /** Must be called when a request arrives. */
  start(request: IncomingMessage): void;
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
  const timers = new WeakMap<IncomingMessage, ReturnType<typeof seconds.startTimer>>();
  return {
    start: (request) => void timers.set(request, seconds.startTimer()),
    end({ request, route }, status) {
      // Only routes become labels: clients must not be able to create new time series.
      const labels = { method: route?.httpMethod ?? "none", route: route?.template.text ?? "none", status };
      requests.inc(labels);
      timers.get(request)?.(labels);
    },
  };
}
