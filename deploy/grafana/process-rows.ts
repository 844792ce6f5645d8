import type { Row } from "./panels.ts";

/** Creates the row of every program that shows the requests in flight and the refused ones. */
export function admissionRow(service: string): Row {
  return {
    title: "Requests in flight",
    panels: [
      {
        title: "In flight",
        description: "Work that is in flight, and how much may be. At the limit, further work is refused.",
        unit: "short",
        queries: [
          [`sum by (work) (admission_in_flight{program="${service}"})`, "{{work}}"],
          [`sum by (work) (admission_limit{program="${service}"})`, "{{work}}: limit"],
        ],
      },
      {
        title: "Refused",
        description: "Requests refused at the limit, with 503 OVERLOADED. Should be 0.",
        unit: "reqps",
        queries: [
          [`sum by (work) (rate(admission_refused_total{program="${service}"}[$__rate_interval]))`, "{{work}}"],
        ],
      },
      {
        title: "Work that waits for its turn",
        description:
          "Work that has a bound of its own, as searches, watches and large replies. What is beyond waits, or is refused.",
        unit: "short",
        queries: [
          [`sum by (work) (semaphore_in_flight{program="${service}"})`, "{{work}}: in flight"],
          [`sum by (work) (semaphore_waiting{program="${service}"})`, "{{work}}: waiting"],
          [
            `sum by (work) (rate(semaphore_refused_total{program="${service}"}[$__rate_interval]))`,
            "{{work}}: refused a second",
          ],
        ],
      },
      {
        title: "Event loop",
        description: "How late timers run, and the share of the time in which the event loop is busy.",
        unit: "s",
        threshold: 0.2,
        queries: [
          [`max(nodejs_eventloop_delay_p99_seconds{program="${service}"})`, "delay, p99"],
          [`max(nodejs_eventloop_delay_p50_seconds{program="${service}"})`, "delay, p50"],
        ],
      },
    ],
  };
}

/** Calls to peers, by the program that makes them. */
export function peersRow(service: string): Row {
  const of = (rest: string) => `{program="${service}",rpc_method!~"grpc.health.*"${rest}}`;
  return {
    title: "Calls to peers",
    panels: [
      {
        title: "Calls",
        description: "Calls a second, by the peer that serves them.",
        unit: "reqps",
        queries: [
          [
            `sum by (server_address) (rate(rpc_client_call_duration_seconds_count${of("")}[$__rate_interval]))`,
            "{{server_address}}",
          ],
        ],
      },
      {
        title: "Calls without a reply",
        description: "Calls that the peer did not reply to in time, or that did not reach it.",
        unit: "reqps",
        queries: [
          [
            `sum by (server_address, rpc_response_status_code) (rate(rpc_client_call_duration_seconds_count${of(',rpc_response_status_code=~"UNAVAILABLE|DEADLINE_EXCEEDED|INTERNAL|UNKNOWN"')}[$__rate_interval]))`,
            "{{server_address}} {{rpc_response_status_code}}",
          ],
        ],
      },
      {
        title: "Duration of calls, p99",
        description: "Repetitions included.",
        unit: "s",
        queries: [
          [
            `histogram_quantile(0.99, sum by (le, server_address) (rate(rpc_client_call_duration_seconds_bucket${of("")}[$__rate_interval])))`,
            "{{server_address}}",
          ],
        ],
      },
    ],
  };
}

/** Creates the row of a program's processor, memory and conditions. */
export function processRow(service: string): Row {
  return {
    title: "Process",
    panels: [
      {
        title: "Processor",
        description: "Cores in use by each replica. JavaScript uses one at most.",
        unit: "percentunit",
        queries: [
          [`rate(process_cpu_seconds_total{program="${service}"}[$__rate_interval])`, "{{instance}}"],
          [`nodejs_eventloop_utilization_ratio{program="${service}"}`, "{{instance}}: event loop"],
        ],
      },
      {
        title: "Memory",
        description: "Resident memory of each replica, and the heap in use.",
        unit: "bytes",
        queries: [
          [`process_resident_memory_bytes{program="${service}"}`, "{{instance}}"],
          [`nodejs_heap_size_used_bytes{program="${service}"}`, "{{instance}}: heap"],
        ],
      },
      {
        title: "Conditions",
        description: "1 while an operator must act although requests are served: docs/runbooks/conditions.md.",
        unit: "short",
        threshold: 1,
        queries: [[`max by (condition) (operator_condition{program="${service}"})`, "{{condition}}"]],
      },
    ],
  };
}
