import type { Database } from "@cloud/postgres";
import type { Telemetry } from "@cloud/runtime/telemetry";
import type { Purge } from "../retention.ts";
import type { Components, ServiceDefinition } from "../service-config.ts";

/** The parts of the service that the commands act on. */
export interface Place extends Output {
  readonly parts: Pick<ServiceDefinition, "schema" | "peers">;
  readonly components: Pick<Components, "references" | "effects">;
  readonly db: Database;
  readonly purges: readonly Purge[];
  readonly telemetry: Telemetry;
  readonly env: NodeJS.ProcessEnv;
}

/** Shows people what a command does. */
export interface Output {
  /** Prints a line of the result, unless `--json` asks for the report instead. */
  readonly print: (line: string) => void;
  /** Notes how far the command is, which standard error shows every few seconds. */
  readonly step: (text: string) => void;
}

/** The end of a command. */
export interface Outcome {
  /** The exit code: done; not done; wrong counts were found, and stay. */
  readonly code: 0 | 1 | 3;
  /** The result for programs, by `--json`. */
  readonly report: Readonly<Record<string, unknown>>;
}
