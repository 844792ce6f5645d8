import { eventsDashboard } from "./events-dashboard.ts";
import { gatewayDashboard } from "./gateway-dashboard.ts";
import type { Dashboard } from "./panels.ts";
import { serviceDashboard } from "./service-dashboard.ts";

/** A dashboard for each program, and one for the path of events. */
export const dashboards: readonly Dashboard[] = [
  gatewayDashboard,
  serviceDashboard("workspace", [
    {
      title: "Watches",
      description: "Watches of workspaces' logs that are open, and how many may be.",
      unit: "short",
      queries: [
        [`sum(semaphore_in_flight{work="watches"})`, "open"],
        ["sum(watches_limit)", "limit"],
        ["sum(watches_unsignalled)", "replicas that no commit wakes"],
      ],
    },
  ]),
  serviceDashboard("environment"),
  serviceDashboard("identity", [
    {
      title: "Refused callers",
      description: "Callers a second whose token or service credential was refused.",
      unit: "reqps",
      queries: [["sum by (program, kind) (rate(rpc_refused_callers_total[$__rate_interval]))", "{{program}} {{kind}}"]],
    },
  ]),
  eventsDashboard,
];
