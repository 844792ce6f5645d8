import { type Dashboard, dashboard } from "./panels.ts";

export const eventsDashboard: Dashboard = dashboard(
  {
    uid: "cloud-events",
    title: "Cloud: events",
    description: "The path of an event: outbox, relay, JetStream, consumer, effect; and what is left on the way.",
  },
  [
    {
      title: "Outbox",
      panels: [
        {
          title: "Lag",
          description: "The age of the oldest event that is not published yet. Seconds when NATS is away.",
          unit: "s",
          threshold: 60,
          queries: [["max by (source) (messaging_outbox_oldest_seconds)", "{{source}}"]],
        },
        {
          title: "Rows",
          description: "Events that are not published yet, counted up to 10,000.",
          unit: "short",
          queries: [["max by (source) (messaging_outbox_backlog_rows)", "{{source}}"]],
        },
        {
          title: "Published",
          description: "Events a second that JetStream confirmed, and that it had lost and stored again.",
          unit: "cps",
          queries: [
            ["sum by (source) (rate(messaging_published_total[$__rate_interval]))", "{{source}}"],
            ["sum by (source) (rate(messaging_republished_total[$__rate_interval]))", "{{source}}: again"],
            ["sum by (source) (rate(messaging_lost_total[$__rate_interval]))", "{{source}}: lost by the stream"],
          ],
        },
      ],
    },
    {
      title: "Consumers",
      panels: [
        {
          title: "Lag",
          description: "Events not delivered yet, or delivered and not applied yet.",
          unit: "short",
          threshold: 1000,
          queries: [["max by (consumer, type) (messaging_consumer_lag_messages)", "{{consumer}} {{type}}"]],
        },
        {
          title: "Applied",
          description: "Events a second whose effect was applied; events that were applied before are ignored.",
          unit: "cps",
          queries: [
            ["sum by (consumer, type) (rate(messaging_consumed_total[$__rate_interval]))", "{{consumer}} {{type}}"],
            ["sum by (consumer) (rate(messaging_duplicates_total[$__rate_interval]))", "{{consumer}}: ignored"],
          ],
        },
        {
          title: "Duration, p99",
          description: "From the delivery of an event until it is applied, parked or released.",
          unit: "s",
          queries: [
            [
              "histogram_quantile(0.99, sum by (le, consumer, type) (rate(messaging_process_duration_seconds_bucket[$__rate_interval])))",
              "{{consumer}} {{type}}",
            ],
          ],
        },
      ],
    },
    {
      title: "What is left",
      panels: [
        {
          title: "Parked",
          description: "Rows of parked_messages that are not replayed. Should be 0: docs/runbooks/parked-events.md.",
          unit: "short",
          threshold: 1,
          queries: [["max by (consumer, reason) (messaging_parked_messages)", "{{consumer}} {{reason}}"]],
        },
        {
          title: "Failed attempts",
          description: "Attempts that are repeated, events that were parked, deletions that their owner refutes.",
          unit: "cps",
          queries: [
            [
              "sum by (consumer, type) (rate(messaging_retries_total[$__rate_interval]))",
              "{{consumer}} {{type}}: again",
            ],
            [
              "sum by (consumer, type) (rate(messaging_parked_total[$__rate_interval]))",
              "{{consumer}} {{type}}: parked",
            ],
            [
              "sum by (consumer, type) (rate(messaging_refuted_total[$__rate_interval]))",
              "{{consumer}} {{type}}: refuted",
            ],
          ],
        },
        {
          title: "Repairs of the reconciler",
          description: "The event path leaves no difference, so both should stay 0.",
          unit: "short",
          threshold: 1,
          queries: [
            ["sum by (program, kind) (increase(reconciler_repairs_total[$__rate_interval]))", "{{program}} {{kind}}"],
            [
              "sum by (program, kind) (increase(reconciler_tombstones_cleared_total[$__rate_interval]))",
              "{{program}} {{kind}}: cleared",
            ],
          ],
        },
      ],
    },
    {
      title: "NATS",
      panels: [
        {
          title: "Connected",
          description: "1 while a service is connected.",
          unit: "short",
          queries: [["min by (program) (messaging_connected)", "{{program}}"]],
        },
        {
          title: "Login",
          description: "What the last attempt led to, and refused attempts a second.",
          unit: "short",
          queries: [
            ['max by (program, state) (messaging_nats_login{state!="accepted"})', "{{program}} {{state}}"],
            [
              "sum by (program) (rate(messaging_refused_logins_total[$__rate_interval]))",
              "{{program}}: refused a second",
            ],
          ],
        },
        {
          title: "Conditions",
          description: "1 while an operator must act: docs/runbooks/conditions.md.",
          unit: "short",
          threshold: 1,
          queries: [
            ['max by (program, condition) (operator_condition{program!="gateway"})', "{{program}} {{condition}}"],
          ],
        },
      ],
    },
  ],
);
