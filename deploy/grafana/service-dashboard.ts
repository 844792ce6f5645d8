import { type Dashboard, dashboard, type PanelOptions, type Row } from "./panels.ts";
import { admissionRow, peersRow, processRow } from "./process-rows.ts";

const CALLS = "rpc_server_call_duration_seconds";

/** Creates the dashboard of a service; `own` are panels that only it has. */
export function serviceDashboard(service: string, own: readonly PanelOptions[] = []): Dashboard {
  const about = {
    uid: `cloud-${service}`,
    title: `Cloud: ${service}`,
    description: `RPCs of the ${service} service by operation: rate, errors, duration; its pools, peers and events.`,
  };
  return dashboard(about, [
    callsRow(service),
    admissionRow(service),
    postgresRow(service),
    peersRow(service),
    ...(own.length === 0 ? [] : [{ title: `Of ${service} only`, panels: own }]),
    processRow(service),
  ]);
}

function callsRow(service: string): Row {
  const of = (rest = "") => `{program="${service}",rpc_method!~"grpc.health.*"${rest}}`;
  return {
    title: "By operation",
    panels: [
      {
        title: "Rate",
        description: "Calls a second.",
        unit: "reqps",
        queries: [[`sum by (rpc_method) (rate(${CALLS}_count${of()}[$__rate_interval]))`, "{{rpc_method}}"]],
      },
      {
        title: "Errors",
        description: "Calls with an error. INTERNAL, UNKNOWN, UNAVAILABLE and DEADLINE_EXCEEDED are the service's.",
        unit: "reqps",
        queries: [
          [
            `sum by (rpc_method, rpc_response_status_code) (rate(${CALLS}_count${of(',rpc_response_status_code!="OK"')}[$__rate_interval]))`,
            "{{rpc_response_status_code}} {{rpc_method}}",
          ],
        ],
      },
      {
        title: "Duration, p99",
        description: "From the arrival of a call to its reply, or to the beginning of a stream.",
        unit: "s",
        threshold: 0.5,
        queries: [
          [
            `histogram_quantile(0.99, sum by (le, rpc_method) (rate(${CALLS}_bucket${of()}[$__rate_interval])))`,
            "{{rpc_method}}",
          ],
        ],
      },
    ],
  };
}

function postgresRow(service: string): Row {
  const pool = "db_client_connection_pool_name";
  return {
    title: "Postgres",
    panels: [
      {
        title: "Connections",
        description: "Those in use of each pool, and the most that it opens.",
        unit: "short",
        queries: [
          [
            `sum by (${pool}) (db_client_connections{program="${service}",db_client_connection_state="used"})`,
            `{{${pool}}}`,
          ],
          [`sum by (${pool}) (db_client_connection_max{program="${service}"})`, `{{${pool}}}: most`],
        ],
      },
      {
        title: "Callers that wait",
        description: "Callers that wait for a connection, and callers that waited in vain. Should be 0.",
        unit: "short",
        threshold: 1,
        queries: [
          [`sum by (${pool}) (db_client_connection_pending_requests{program="${service}"})`, `{{${pool}}}: waiting`],
          [
            `sum by (${pool}) (increase(db_client_connection_timeouts_total{program="${service}"}[$__rate_interval]))`,
            `{{${pool}}}: in vain`,
          ],
        ],
      },
    ],
  };
}
