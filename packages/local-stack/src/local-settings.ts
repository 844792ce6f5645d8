import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { corsOrigins, port, readConfig } from "@cloud/runtime/settings";
import * as z from "zod";
import type { StackPorts } from "./start-operators.ts";

export interface LocalSettings {
  help: boolean;
  /** Whether to delete the data of earlier starts first. */
  reset: boolean;
  /** Whether to seed the demo when there is none. */
  demo: boolean;
  /** Whether to start Prometheus too, if this machine has one. */
  prometheus: boolean;
  /** Contains all persistent data: Postgres, JetStream, logs, the service token and demo.json. */
  folder: string;
  cacheFolder: string;
  ports: StackPorts;
  /** 0: a free one. */
  operatorPorts: StackPorts;
  /** 0: a free one. */
  postgresPort: number;
  natsPort: number;
  prometheusPort: number;
  /** The URL of a running NATS; empty if there is none. */
  natsUrl: string;
  /** The origins of pages that may call the gateway and the services. */
  corsOrigins: readonly string[] | "*" | undefined;
}

export const HELP = `npm start [-- options]     everything on this machine: Postgres, NATS, services, gateway, demo records

  --reset      delete the data of earlier starts first
  --no-demo    seed no demo records
  --prometheus start Prometheus on the programs' metrics, if this machine has one
  --help       this text

Environment variables, with their defaults
  GATEWAY_PORT 8080, WORKSPACE_PORT 8081, ENVIRONMENT_PORT 8082, IDENTITY_PORT 8083      0: a free port
  POSTGRES_PORT, NATS_PORT, PROMETHEUS_PORT                                              a free port
  GATEWAY_OPERATOR_PORT, WORKSPACE_OPERATOR_PORT, …                                      a free port
  NATS_URL      use this NATS instead of starting a nats-server; may contain a login
  CORS_ORIGINS  none; origins of pages that may call, separated by commas, or *
  LOCAL_FOLDER  .local; where everything is kept
  CACHE_FOLDER  .cache; where a downloaded nats-server is kept

It ends at Ctrl-C, and with the npm that runs it. A server that ends is started again, at most 3 times within a minute;
then everything ends with exit code 1. The line about it names the server's log.
`;

/**
 * Reads the options of the command line and the variables.
 *
 * @throws TypeError on an unknown option, ConfigError on malformed variables
 */
export function readLocalSettings(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  repository: string,
): LocalSettings {
  const flag = { type: "boolean", default: false } as const;
  const options = { help: { ...flag, short: "h" }, reset: flag, "no-demo": flag, prometheus: flag } as const;
  const { values } = parseArgs({ args: [...args], options });
  const config = readConfig(
    {
      GATEWAY_PORT: port(8080),
      WORKSPACE_PORT: port(8081),
      ENVIRONMENT_PORT: port(8082),
      IDENTITY_PORT: port(8083),
      GATEWAY_OPERATOR_PORT: port(0),
      WORKSPACE_OPERATOR_PORT: port(0),
      ENVIRONMENT_OPERATOR_PORT: port(0),
      IDENTITY_OPERATOR_PORT: port(0),
      POSTGRES_PORT: port(0),
      NATS_PORT: port(0),
      PROMETHEUS_PORT: port(0),
      NATS_URL: z.string().default(""),
      CORS_ORIGINS: corsOrigins(),
      LOCAL_FOLDER: z.string().default(join(repository, ".local")),
      CACHE_FOLDER: z.string().default(join(repository, ".cache")),
    },
    env,
  );
  return {
    help: values.help,
    reset: values.reset,
    demo: !values["no-demo"],
    prometheus: values.prometheus,
    folder: resolve(config.LOCAL_FOLDER),
    cacheFolder: resolve(config.CACHE_FOLDER),
    ports: {
      gateway: config.GATEWAY_PORT,
      workspace: config.WORKSPACE_PORT,
      environment: config.ENVIRONMENT_PORT,
      identity: config.IDENTITY_PORT,
    },
    operatorPorts: {
      gateway: config.GATEWAY_OPERATOR_PORT,
      workspace: config.WORKSPACE_OPERATOR_PORT,
      environment: config.ENVIRONMENT_OPERATOR_PORT,
      identity: config.IDENTITY_OPERATOR_PORT,
    },
    postgresPort: config.POSTGRES_PORT,
    natsPort: config.NATS_PORT,
    prometheusPort: config.PROMETHEUS_PORT,
    natsUrl: config.NATS_URL,
    corsOrigins: config.CORS_ORIGINS,
  };
}
