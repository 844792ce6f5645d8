import { host, port, whole } from "@cloud/config";
import * as z from "zod";
import { tracingSettings } from "./tracing-settings.ts";

/** The environment variables that every program reads besides its own. */
export const programSettings = (operatorPort: number) => ({
  /**
   * How long a program keeps serving after SIGTERM while reporting not ready. Until every node has removed it from its
   * Service, it still receives new connections and must accept them: Kubernetes does not order the two, and seconds are
   * usual.
   */
  LAME_DUCK_MS: whole(0, 60_000)
    .default(5_000)
    .describe("how long the program serves on after SIGTERM, in milliseconds, while it reports not ready"),
  /** Where the kubelet and Prometheus ask; not where clients do. */
  OPERATOR_HOST: host().describe("the address on which `/healthz`, `/readyz` and `/metrics` are served"),
  OPERATOR_PORT: port(operatorPort).describe("their port, which is not for clients"),
  /** Kubelet and Prometheus need one each; 64 leaves room for people. */
  OPERATOR_CONNECTIONS: whole(8, 1_024).default(64).describe("connections to the operators' port"),
  /** The share of requests without an error that have a line in the log; errors have theirs at any share. */
  ACCESS_LOG_SAMPLE: z.coerce
    .number({ error: "must be 0 to 1" })
    .min(0, "must be 0 to 1")
    .max(1, "must be 0 to 1")
    .default(0.01)
    .describe(
      "the share of requests without an error that have a line in the log, which costs 8 µs. Errors have theirs at any share",
    ),
  ...tracingSettings(),
});

export type ProgramSettings = Readonly<z.output<z.ZodObject<ReturnType<typeof programSettings>>>>;
