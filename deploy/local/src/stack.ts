import { randomBytes } from "node:crypto";
import { startEnvironmentService } from "@cloud/environment-service";
import { startGateway } from "@cloud/gateway";
import { startIdentityService } from "@cloud/identity-service";
import { createDatabase, takeFreePort } from "@cloud/local-servers";
import { createInProcessTransport } from "@cloud/messaging";
import type { Telemetry } from "@cloud/telemetry";
import { startWorkspaceService } from "@cloud/workspace-service";

export interface StackOptions {
  /** Of a superuser, who makes the database and the services' roles. */
  postgresUrl: string;
  /** `cloud` when left out. */
  database?: string;
  /** Undefined: events are handed over within this process. */
  natsUrl: string | undefined;
  /** Free ones where left out or 0. */
  ports?: Partial<StackPorts>;
  serviceToken: string;
  /** Asked once for each program: gateway, identity, environment, workspace, events. */
  telemetryFor: (program: string) => Telemetry;
}

export interface StackPorts {
  gateway: number;
  workspace: number;
  environment: number;
  identity: number;
}

export interface Stack {
  /** http://127.0.0.1:<port> */
  gateway: string;
  services: { workspace: string; environment: string; identity: string };
  serviceToken: string;
  /** Stops gateway and services in that order, each when what is in flight has ended. */
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";
const SERVICES = ["identity", "environment", "workspace"] as const;

/** Starts the three services and the gateway in this process; answers when all of them serve. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { serviceToken, telemetryFor, natsUrl } = options;
  const ports = await choosePorts(options.ports ?? {});
  const urls = {
    workspaceUrl: `http://${HOST}:${ports.workspace}`,
    environmentUrl: `http://${HOST}:${ports.environment}`,
    identityUrl: `http://${HOST}:${ports.identity}`,
  };
  const databaseUrls = await createServiceDatabases(options.postgresUrl, options.database ?? "cloud");
  const transport = natsUrl === undefined ? createInProcessTransport(telemetryFor("events")) : undefined;
  const configFor = (service: (typeof SERVICES)[number]) => ({
    host: HOST,
    port: ports[service],
    databaseUrl: databaseUrls[service],
    natsUrl: natsUrl ?? "",
    natsReplicas: 1,
    serviceToken,
    acceptedServiceTokens: [serviceToken],
    ...urls,
    telemetry: telemetryFor(service),
    ...(transport === undefined ? {} : { transport }),
  });

  // The services tolerate peers that are not there yet, so that they can start together.
  await using resources = new AsyncDisposableStack();
  const starting = [
    startIdentityService(configFor("identity")),
    startEnvironmentService(configFor("environment")),
    startWorkspaceService(configFor("workspace")),
  ];
  for (const started of await Promise.allSettled(starting)) {
    if (started.status === "fulfilled") resources.defer(() => started.value.stop());
  }
  await Promise.all(starting); // throws the first failure; what did start is stopped
  const gateway = await startGateway({ host: HOST, port: ports.gateway, ...urls, telemetry: telemetryFor("gateway") });
  resources.defer(() => gateway.stop());

  const running = resources.move();
  const services = { workspace: urls.workspaceUrl, environment: urls.environmentUrl, identity: urls.identityUrl };
  return { gateway: `http://${HOST}:${gateway.port}`, services, serviceToken, stop: () => running.disposeAsync() };
}

/** Every port is known before anything starts, because the services name one another. */
async function choosePorts(wanted: Partial<StackPorts>): Promise<StackPorts> {
  const choose = (port: number | undefined) => (port === undefined || port === 0 ? takeFreePort() : port);
  const [gateway, workspace, environment, identity] = await Promise.all([
    choose(wanted.gateway),
    choose(wanted.workspace),
    choose(wanted.environment),
    choose(wanted.identity),
  ]);
  return { gateway, workspace, environment, identity };
}

/** The roles of a service in `database`, which are the cluster's, not the database's. */
export const rolesOf = (database: string): string[] => SERVICES.map((service) => `${database}_${service}`);

/** A schema, and a role that may use nothing else, for each service. The passwords are new at every start. */
export async function createServiceDatabases(postgresUrl: string, database: string) {
  const owners = SERVICES.map((service) => ({
    role: `${database}_${service}`,
    password: randomBytes(18).toString("base64url"),
    schema: service,
  }));
  const [identity = "", environment = "", workspace = ""] = await createDatabase(postgresUrl, database, owners);
  return { identity, environment, workspace };
}
