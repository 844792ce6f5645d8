import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { SchemaUrls } from "@cloud/local-servers";
import type { Demo } from "@cloud/local-stack";
import { createCredentials, credentialsFor, seedDemo } from "@cloud/local-stack";
import { createProgram, type Program, type RemovedProtection, takeStablePort, waitFor, without } from "@cloud/testkit";
import {
  type FaultProxy,
  type RestartableNats,
  type RestartablePostgres,
  type RestorablePostgres,
  startFaultProxy,
  startRestartableNats,
} from "@cloud/testkit/faults";
import { controls, type Protection } from "../controls.ts";
import { forEachService, SERVICES, type ServiceName } from "./services.ts";
import { startOwnDatabases, startSharedDatabase } from "./start-databases.ts";

export { SERVICES, type ServiceName } from "./services.ts";

export interface SystemOptions {
  /** Replicas of each service; 1 if absent. With more, its peers reach it through a load balancer. */
  readonly replicas?: number;
  /** Number of gateways; 1 if absent. With more, clients reach them through a load balancer. */
  readonly gateways?: number;
  /** Gives each service its own Postgres server, which can be restored separately; otherwise all share one. */
  readonly ownPostgres?: boolean;
  /** The protections to remove from every program. */
  readonly remove?: readonly Protection[];
  /** Protections to remove from every program, too, that `controls.ts` does not have. */
  readonly removeAlso?: readonly RemovedProtection[];
  /** The dependencies that a service reaches through its own fault proxy; it reaches the others directly. */
  readonly proxied?: readonly ("postgres" | "nats" | "peers")[];
  /** Variables that are added to the environment of every program. */
  readonly env?: Readonly<Record<string, string>>;
  /** Returns the environment of a service with changes that only it has, such as its secrets as files. */
  readonly mount?: (
    name: ServiceName,
    environment: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, string>>;
  /** Starts the shared Postgres instead of an ordinary one. */
  readonly postgres?: () => Promise<RestartablePostgres>;
  /** Starts a pooler in front of the Postgres that all services share, for their URLs; they keep a direct URL. */
  readonly pooler?: (urls: readonly string[]) => Promise<{ readonly port: number; stop(): Promise<void> }>;
  /** Starts one balancer for the replicas of each service and for the gateways, instead of a proxy in front of each. */
  readonly balancer?: (groups: readonly Replicas[]) => Promise<Balancer>;
  /** Starts the nats-server instead of an ordinary one. */
  readonly nats?: () => Promise<RestartableNats>;
  /** Modules that Node loads before the services' own, by service. */
  readonly preload?: Partial<Record<ServiceName, readonly string[]>>;
  /** Returns the file that Node runs for a program. If absent, the source runs; only it can lose protections. */
  readonly mainOf?: (program: ServiceName | "gateway") => string;
}

/** The replicas of a service, or the gateways, with the ports of their probes. */
export interface Replicas {
  readonly name: ServiceName | "gateway";
  readonly backends: readonly { readonly name: string; readonly port: number; readonly checkPort: number }[];
}

export interface Balancer {
  /** The port for the clients of a service or of the gateways. */
  port(name: string): number;
  stop(): Promise<void>;
}

/** The whole system as in production: every program a process, with its own Postgres and nats-server. */
export interface System {
  /** The server that all services share. */
  readonly postgres: RestartablePostgres;
  /** The server of each service, with `ownPostgres`. */
  readonly postgresOf: Readonly<Record<ServiceName, RestorablePostgres>>;
  readonly nats: RestartableNats;
  /** The first gateway. */
  readonly gateway: Program;
  readonly gateways: readonly [Program, ...Program[]];
  /** The replicas of each service. */
  readonly services: Readonly<Record<ServiceName, readonly [Program, ...Program[]]>>;
  /** Gateway and services. */
  readonly programs: readonly Program[];
  /** The proxies between a service and its dependencies; only the dependencies in `proxied`. */
  readonly proxies: {
    readonly postgres: Readonly<Record<ServiceName, FaultProxy>>;
    readonly nats: Readonly<Record<ServiceName, FaultProxy>>;
    /** The proxy in front of each service, for all its callers. With replicas it balances between them. */
    readonly peers: Readonly<Record<ServiceName, FaultProxy>>;
    /** The proxy in front of several gateways. */
    readonly gateway: FaultProxy;
  };
  /** The superuser's URL in the database that all services share, bypassing every proxy. */
  readonly databaseUrl: string;
  /** The superuser's URL in the database of each service, bypassing every proxy. */
  readonly superuserUrls: Readonly<Record<ServiceName, string>>;
  /** The URLs of each service's own roles, bypassing every proxy. */
  readonly serviceDatabaseUrls: Readonly<Record<ServiceName, SchemaUrls>>;
  /** The environment variables of each service, for commands that run next to it. */
  readonly environments: Readonly<Record<ServiceName, Readonly<Record<string, string>>>>;
  readonly demo: Demo;
  /** Kills all processes and deletes their data. */
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";

/**
 * Reconcilers run many passes in every run. Their grace period is longer than a relay's lease plus a consumer's ack
 * wait (10 s each): a kill may cost an event both, and late is not lost.
 */
const RECONCILER = { RECONCILER_INTERVAL_MS: "2000", RECONCILER_GRACE_MS: "25000" };

/** No load balancer lags if programs are just stopped. */
const LAME_DUCK = { LAME_DUCK_MS: "0" };

const sourceOf = (program: ServiceName | "gateway") => {
  const folder = program === "gateway" ? "gateway" : `services/${program}`;
  return fileURLToPath(new URL(`../../../${folder}/src/main.ts`, import.meta.url));
};

export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const {
    replicas = 1,
    gateways: gatewayCount = 1,
    remove = [],
    removeAlso = [],
    proxied = [],
    preload = {},
    mainOf = sourceOf,
    mount = (_name, environment) => environment,
  } = options;
  const removed = without([...remove.flatMap((name) => controls[name]), ...removeAlso]);
  const credentials = createCredentials(randomBytes(24).toString("base64url"));

  await using resources = new AsyncDisposableStack();
  const owned = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const started = await starting;
    resources.defer(() => started.stop());
    return started;
  };
  const [databases, nats] = await Promise.all([
    options.ownPostgres === true ? startOwnDatabases(owned) : startSharedDatabase(owned, options.postgres),
    owned((options.nats ?? startRestartableNats)()),
  ]);

  const roleUrls = SERVICES.map((name) => databases.serviceUrls[name].url);
  const pooler = options.pooler === undefined ? undefined : await owned(options.pooler(roleUrls));

  // 1. All ports, and the proxies in front of them.
  const ports = await forEachService(async () => await takePorts(replicas));
  const before = (target: number[]) => owned(startFaultProxy(...target.map((port) => ({ host: HOST, port }))));
  const gatewayPorts = await takePorts(gatewayCount);
  const groups = [
    ...(await Promise.all(SERVICES.map((name) => replicasOf(name, ports[name])))),
    await replicasOf("gateway", gatewayPorts),
  ];
  const operatorPorts = new Map(groups.flatMap(({ backends }) => backends.map((one) => [one.port, one.checkPort])));
  const balancer = options.balancer === undefined ? undefined : await owned(options.balancer(groups));
  const needsBalancer = balancer === undefined && (proxied.includes("peers") || replicas > 1);
  const peers = needsBalancer ? await forEachService((name) => before(ports[name])) : undefined;
  const postgresProxies = proxied.includes("postgres")
    ? await forEachService((name) => before([databases.ports[name]]))
    : undefined;
  const natsProxies = proxied.includes("nats") ? await forEachService(() => before([nats.port])) : undefined;
  const urlOf = (name: ServiceName) => `http://${HOST}:${balancer?.port(name) ?? peers?.[name].port ?? ports[name][0]}`;
  const urls = {
    IDENTITY_URL: urlOf("identity"),
    ENVIRONMENT_URL: urlOf("environment"),
    WORKSPACE_URL: urlOf("workspace"),
  };

  // 2. The programs.
  const program = async (name: ServiceName | "gateway", port: number, env: Readonly<Record<string, string>>) => {
    const before = name === "gateway" ? [] : (preload[name] ?? []);
    const created = createProgram({
      name,
      main: mainOf(name),
      port,
      operatorPort: operatorPorts.get(port) ?? 0,
      env: { ...urls, ...RECONCILER, ...LAME_DUCK, ...env, ...removed.env, ...options.env },
      preload: [...removed.preload, ...before],
    });
    resources.defer(() => created.close());
    return created;
  };
  const environments = await forEachService(async (name) =>
    mount(name, {
      ...urls,
      DATABASE_URL: throughProxy(databases.serviceUrls[name].url, postgresProxies?.[name]),
      ...(pooler && {
        DATABASE_URL: throughProxy(databases.serviceUrls[name].url, pooler),
        DATABASE_DIRECT_URL: databases.serviceUrls[name].url,
      }),
      MIGRATION_DATABASE_URL: throughProxy(databases.serviceUrls[name].ownerUrl, postgresProxies?.[name]),
      NATS_URL: throughProxy(nats.urlOf(name), natsProxies?.[name]),
      SERVICE_TOKEN: credentials[name],
      SERVICE_CREDENTIALS: credentialsFor(name, credentials)
        .map((one) => `${one.name}:${one.secret}`)
        .join(","),
    }),
  );
  const services = await forEachService(
    (name) =>
      Promise.all(ports[name].map((port) => program(name, port, environments[name]))) as Promise<
        [Program, ...Program[]]
      >,
  );
  const gatewayProxy = balancer === undefined && gatewayCount > 1 ? await before(gatewayPorts) : undefined;
  const gateways = (await Promise.all(gatewayPorts.map((port) => program("gateway", port, {})))) as [
    Program,
    ...Program[],
  ];
  const [gateway] = gateways;
  const programs = [...Object.values(services).flat(), ...gateways];
  await Promise.all(programs.map((one) => one.start()));
  // A balancer takes no program that was not ready when it last asked.
  const balanced = balancer === undefined ? [] : [...Object.values(urls), `http://${HOST}:${balancer.port("gateway")}`];
  await Promise.all(balanced.map((url) => waitFor(() => fetch(url), { deadlineMs: 30_000 })));

  // 3. The records that a run uses.
  const serviceUrls = { identity: urlOf("identity"), environment: urlOf("environment"), workspace: urlOf("workspace") };
  const gatewayPort = balancer?.port("gateway") ?? gatewayProxy?.port ?? gateway.port;
  const gatewayUrl = `http://${HOST}:${gatewayPort}`;
  const operators = {
    gateway: gateway.operatorUrl,
    workspace: services.workspace[0].operatorUrl,
    environment: services.environment[0].operatorUrl,
    identity: services.identity[0].operatorUrl,
  };
  const demo = await seedDemo({
    gateway: gatewayUrl,
    services: serviceUrls,
    operators,
    serviceToken: credentials.operator,
  });

  const running = resources.move();
  return {
    get postgres() {
      return present(databases.shared, "the services sharing a Postgres");
    },
    get postgresOf() {
      return present(databases.own, "a Postgres for each service");
    },
    nats,
    gateway,
    gateways,
    services,
    programs,
    proxies: {
      get postgres() {
        return present(postgresProxies, "postgres behind proxies");
      },
      get nats() {
        return present(natsProxies, "nats behind proxies");
      },
      get peers() {
        return present(peers, "peers behind proxies");
      },
      get gateway() {
        return present(gatewayProxy, "several gateways");
      },
    },
    get databaseUrl() {
      return present(databases.shared && databases.superuserUrls.identity, "the services sharing a Postgres");
    },
    superuserUrls: databases.superuserUrls,
    serviceDatabaseUrls: databases.serviceUrls,
    environments,
    demo,
    stop: () => running.disposeAsync(),
  };
}

async function replicasOf(name: Replicas["name"], ports: readonly number[]): Promise<Replicas> {
  const checkPorts = await takePorts(ports.length);
  const backends = ports.map((port, at) => ({ name: `${name}-${at}`, port, checkPort: checkPorts[at] ?? 0 }));
  return { name, backends };
}

const takePorts = (count: number) => Promise.all(Array.from({ length: count }, takeStablePort));

function throughProxy(url: string, proxy: { readonly port: number } | undefined): string {
  if (proxy === undefined) return url;
  const through = new URL(url);
  through.port = String(proxy.port);
  return through.href;
}

function present<T>(part: T | undefined, what: string): T {
  if (part === undefined) throw new TypeError(`the system was not started with ${what}`);
  return part;
}
