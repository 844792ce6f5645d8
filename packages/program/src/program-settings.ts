import { host, port } from "@cloud/config";
import * as z from "zod";

/** The environment variables that every program reads besides its own. */
export const programSettings = (operatorPort: number) => ({
  /**
   * How long a program keeps serving after SIGTERM while reporting not ready. Until every node has removed it from its
   * Service, it still receives new connections and must accept them: Kubernetes does not order the two, and seconds are
   * usual.
   */
  LAME_DUCK_MS: z.coerce.number().int().min(0).max(60_000).default(5_000),
  /** Where the kubelet and Prometheus ask; not where clients do. */
  OPERATOR_HOST: host(),
  OPERATOR_PORT: port(operatorPort),
  /** Kubelet and Prometheus need one each; 64 leaves room for people. */
  OPERATOR_CONNECTIONS: z.coerce
    .number({ error: "must be 8 to 1024" })
    .int("must be 8 to 1024")
    .min(8, "must be 8 to 1024")
    .max(1_024, "must be 8 to 1024")
    .default(64),
});

export type ProgramSettings = Readonly<z.output<z.ZodObject<ReturnType<typeof programSettings>>>>;
