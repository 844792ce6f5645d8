import { randomBytes } from "node:crypto";
import type { ServiceCallerName, ServiceCredential } from "@cloud/access";
import { startEnvironmentService } from "@cloud/environment-service";
import { startGateway } from "@cloud/gateway";
import { startIdentityService } from "@cloud/identity-service";
import { createDatabase, createInProcessTransport, takeStablePort } from "@cloud/local-servers";
import type { SemaphoreLimits, ServerLimits } from "@cloud/runtime/limits";
import type { Telemetry } from "@cloud/runtime/telemetry";
import type { ServiceConfig } from "@cloud/service";
import { startWorkspaceService } from "@cloud/workspace-service";
import { type Operators, type StackPorts, startOperators } from "./start-operators.ts";

export interface StackOptions {
  /** Connects as a superuser, who creates the database and the services' roles. */
  postgresUrl: string;
  /** `cloud` if absent. */
  database?: string;
  /** The NATS URL of each service, with its login. Undefined: events are delivered within this process. */
  natsUrlOf: ((service: ServiceName) => string) | undefined;
  /** The host of gateway and services: `localhost` is both of its addresses. 127.0.0.1 if absent. */
  host?: string;
  /** Free ones if absent or 0. */
  ports?: Partial<StackPorts>;
  operatorPorts?: Partial<StackPorts>;
  /** The origins of pages that may call the gateway and the services; none if absent. */
  corsOrigins?: readonly string[] | "*" | undefined;
  /** The limits of the programs; the defaults of their settings if absent. */
  limits?: StackLimits | undefined;
  /** The operator's credential. The services' own are new at every start. */
  serviceToken: string;
  /** Called once for each program: gateway, identity, environment, workspace, events. */
  telemetryFor: (program: string) => Telemetry;
}

/** The most that the programs accept, and how long a request may take, in milliseconds. */
export interface StackLimits {
  server: ServerLimits;
  heavyReads: SemaphoreLimits;
  database: NonNullable<ServiceConfig["databaseLimits"]>;
  requestDeadlineMs: number;
}

export interface Stack {
  /** http://127.0.0.1:<port> */
  gateway: string;
  services: { workspace: string; environment: string; identity: string };
  /** The URL of each program's operator port, with /readyz and /metrics. */
  operators: Operators;
  /** The operator's credential. */
  serviceToken: string;
  credentials: StackCredentials;
  /** Stops gateway and services in that order, each after its requests in flight. */
  stop(): Promise<void>;
}

/** Starts the three services and the gateway in this process; resolves when all of them serve. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { serviceToken, natsUrlOf, corsOrigins, limits, host = HOST } = options;
  const credentials = createCredentials(serviceToken);
  const telemetryFor = rememberEach(options.telemetryFor);
  const ports = await choosePorts(options.ports ?? {});
  const urls = {
    workspaceUrl: `http://${HOST}:${ports.workspace}`,
    environmentUrl: `http://${HOST}:${ports.environment}`,
    identityUrl: `http://${HOST}:${ports.identity}`,
  };
  const databases = await createServiceDatabases(options.postgresUrl, options.database ?? "cloud");
  const transport = natsUrlOf === undefined ? createInProcessTransport(telemetryFor("events")) : undefined;
  const configFor = (service: ServiceName) => ({
    host,
    port: ports[service],
    databaseUrl: databases[service].url,
    migration: { run: true, ownerUrl: databases[service].ownerUrl },
    ...(natsUrlOf && { nats: { url: natsUrlOf(service) } }),
    natsReplicas: 1,
    corsOrigins,
    ...(limits && { limits: limits.server, heavyReads: limits.heavyReads, databaseLimits: limits.database }),
    serviceToken: credentials[service],
    serviceCredentials: credentialsFor(service, credentials),
    ...urls,
    telemetry: telemetryFor(service),
    ...(transport === undefined ? {} : { transport }),
  });

  // Services tolerate missing peers, so that they can start together.
  await using resources = new AsyncDisposableStack();
  const starting = [
    startIdentityService(configFor("identity")),
    startEnvironmentService(configFor("environment")),
    startWorkspaceService(configFor("workspace")),
  ] as const;
  for (const started of await Promise.allSettled(starting)) {
    if (started.status === "fulfilled") resources.defer(() => started.value.stop());
  }
  // Throws the first failure; what did start is stopped.
  const [identity, environment, workspace] = await Promise.all(starting);
  const gateway = await startGateway({
    host,
    port: ports.gateway,
    ...urls,
    corsOrigins,
    ...(limits && { limits: limits.server, requestDeadlineMs: limits.requestDeadlineMs }),
    telemetry: telemetryFor("gateway"),
  });
  resources.defer(() => gateway.stop());
  const programs = { gateway, workspace, environment, identity };
  const operators = await startOperators(
    { host, ports: options.operatorPorts ?? {}, programs, telemetryFor },
    resources,
  );

  const running = resources.move();
  const services = { workspace: urls.workspaceUrl, environment: urls.environmentUrl, identity: urls.identityUrl };
  const stop = () => running.disposeAsync();
  const url = `http://${HOST}:${gateway.port}`;
  return { gateway: url, services, operators, serviceToken, credentials, stop };
}

const HOST = "127.0.0.1";
const SERVICES = ["identity", "environment", "workspace"] as const;

type ServiceName = (typeof SERVICES)[number];

/**
 * Creates a schema for each service, with an owner and a role for the program. The passwords are new at every start.
 * Returns the URLs of each.
 */
export async function createServiceDatabases(postgresUrl: string, database: string) {
  const [identity, environment, workspace] = await createDatabase(postgresUrl, database, [
    { role: `${database}_identity`, schema: "identity" },
    { role: `${database}_environment`, schema: "environment" },
    { role: `${database}_workspace`, schema: "workspace" },
  ]);
  return { identity, environment, workspace };
}

/** Returns the roles of a service in `database`; roles belong to the cluster, not to the database. */
export const rolesOf = (database: string): string[] => SERVICES.map((service) => `${database}_${service}`);

export type StackCredentials = Readonly<Record<ServiceCallerName, string>>;

/** Creates a credential for each service; the operator's is given, because clients keep it. */
export function createCredentials(operator: string): StackCredentials {
  const create = () => randomBytes(24).toString("base64url");
  return { workspace: create(), environment: create(), identity: create(), operator };
}

/** Returns what a service accepts: the credentials of its callers only. */
export function credentialsFor(service: CredentialOwner, credentials: StackCredentials): ServiceCredential[] {
  return CALLERS[service].map((name) => ({ name, secret: credentials[name] }));
}

type CredentialOwner = Exclude<ServiceCallerName, "operator">;

/** The callers of each service, besides the gateway: docs/architecture.md. */
const CALLERS: Readonly<Record<CredentialOwner, readonly ServiceCallerName[]>> = {
  workspace: ["identity", "operator"],
  environment: ["workspace", "operator"],
  identity: ["workspace", "environment", "operator"],
};

/** Creates the telemetry of each program once: the program and its operator's port share it. */
function rememberEach(create: (program: string) => Telemetry): (program: string) => Telemetry {
  const known = new Map<string, Telemetry>();
  return (program) => {
    const telemetry = known.get(program) ?? create(program);
    known.set(program, telemetry);
    return telemetry;
  };
}

/** Chooses every port before anything starts, because the services need each other's addresses. */
async function choosePorts(wanted: Partial<StackPorts>): Promise<StackPorts> {
  const choose = (port: number | undefined) => (port === undefined || port === 0 ? takeStablePort() : port);
  const [gateway, workspace, environment, identity] = await Promise.all([
    choose(wanted.gateway),
    choose(wanted.workspace),
    choose(wanted.environment),
    choose(wanted.identity),
  ]);
  return { gateway, workspace, environment, identity };
}
