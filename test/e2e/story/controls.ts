import { fileURLToPath } from "node:url";
import type { RemovedProtection } from "@cloud/testkit";

/** The variables with which a program writes a line for each module of OpenTelemetry's SDK that it loads. */
export const REPORT_SDK = {
  NODE_OPTIONS: `--import ${fileURLToPath(new URL("report-sdk.ts", import.meta.url))}`,
} as const;

/** Programs call each other without the id of the request: a line of the second hop cannot be found by it. */
export const uncorrelated: readonly RemovedProtection[] = [{ marker: "request-id" }];

/** Events are published without the id and the trace of the request that caused them. */
export const causeless: readonly RemovedProtection[] = [
  {
    marker: "event-correlation",
    instead: "const headers = JSON.stringify(writeEventCorrelation(undefined));",
  },
];
