import { type Dashboard, dashboard } from "./panels.ts";
import { admissionRow, peersRow, processRow } from "./process-rows.ts";

const REQUESTS = "http_server_request_duration_seconds";

export const gatewayDashboard: Dashboard = dashboard(
  {
    uid: "cloud-gateway",
    title: "Cloud: gateway",
    description: "REST requests by operation: rate, errors, duration; and what the gateway spends on them.",
  },
  [
    {
      title: "Objectives",
      panels: [
        {
          title: "Errors of the service, 1 h",
          description: "The share of the requests with a status from 500 on. The objective is 0.1 %.",
          unit: "percentunit",
          type: "stat",
          threshold: 0.001,
          queries: [["gateway:errors:ratio_rate1h", "1 h"]],
        },
        {
          title: "Slower than 0.5 s, 1 h",
          description: "The share of the requests, watches apart. The objective is 1 %.",
          unit: "percentunit",
          type: "stat",
          threshold: 0.01,
          queries: [["gateway:slow:ratio_rate1h", "1 h"]],
        },
        {
          title: "Requests",
          description: "Requests a second.",
          unit: "reqps",
          type: "stat",
          queries: [[`sum(rate(${REQUESTS}_count[$__rate_interval]))`, "all"]],
        },
        {
          title: "In flight",
          description: "Requests and watches in flight.",
          unit: "short",
          type: "stat",
          queries: [["sum(http_server_active_requests)", "all"]],
        },
      ],
    },
    {
      title: "By operation",
      panels: [
        {
          title: "Rate",
          description: "Requests a second, by method and path template.",
          unit: "reqps",
          queries: [
            [
              `sum by (http_request_method, http_route) (rate(${REQUESTS}_count[$__rate_interval]))`,
              "{{http_request_method}} {{http_route}}",
            ],
          ],
        },
        {
          title: "Errors",
          description: "Those with a status from 400 on. From 500 on they are the service's.",
          unit: "reqps",
          queries: [
            [
              `sum by (http_request_method, http_route, http_response_status_code) (rate(${REQUESTS}_count{http_response_status_code=~"[45].."}[$__rate_interval]))`,
              "{{http_response_status_code}} {{http_request_method}} {{http_route}}",
            ],
          ],
        },
        {
          title: "Duration, p99",
          description: "From the first line of a request to the end of its response, watches apart.",
          unit: "s",
          threshold: 0.5,
          queries: [
            [
              `histogram_quantile(0.99, sum by (le, http_request_method, http_route) (rate(${REQUESTS}_bucket{http_route!~".*:watch"}[$__rate_interval])))`,
              "{{http_request_method}} {{http_route}}",
            ],
          ],
        },
      ],
    },
    admissionRow("gateway"),
    peersRow("gateway"),
    processRow("gateway"),
  ],
);
