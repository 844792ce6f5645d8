import type { Database } from "@cloud/postgres";
import type { Telemetry } from "@cloud/runtime/telemetry";
import type { Purge } from "../retention.ts";
import type { Components, ServiceDefinition } from "../service-config.ts";

/** The parts of the service that the commands act on. */
export interface Place {
  readonly parts: Pick<ServiceDefinition, "schema" | "peers">;
  readonly components: Pick<Components, "references" | "effects">;
  readonly db: Database;
  readonly purges: readonly Purge[];
  readonly telemetry: Telemetry;
  readonly print: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
}
