import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import {
  createProgram,
  type FaultProxy,
  type Program,
  type RestartableNats,
  type RestartablePostgres,
  startFaultProxy,
  startRestartableNats,
  startRestartablePostgres,
  takeStablePort,
  without,
} from "@cloud/testkit";
import type { Demo } from "../../../src/demo.ts";
import { seedDemo } from "../../../src/seed-demo.ts";
import { createServiceDatabases } from "../../../src/stack.ts";
import { controls, type Protection } from "../controls.ts";

export type ServiceName = "identity" | "environment" | "workspace";
export const SERVICES: readonly ServiceName[] = ["identity", "environment", "workspace"];

export interface SystemOptions {
  /** Of each service; 1 when left out. With more, its peers reach it through a balancer. */
  readonly replicas?: number;
  /** 1 when left out. With more, clients reach them through a balancer. */
  readonly gateways?: number;
  /** Taken out of every program. */
  readonly remove?: readonly Protection[];
  /** What a service reaches through a fault proxy of its own; the rest it reaches directly. */
  readonly proxied?: readonly ("postgres" | "nats" | "peers")[];
  /** Added to the environment of every program. */
  readonly env?: Readonly<Record<string, string>>;
  /** Modules that Node loads before the services' own, by service. */
  readonly preload?: Partial<Record<ServiceName, readonly string[]>>;
}

/** The whole system as production runs it: every program a process, on a Postgres and a nats-server of its own. */
export interface System {
  readonly postgres: RestartablePostgres;
  readonly nats: RestartableNats;
  /** The first of them. */
  readonly gateway: Program;
  readonly gateways: readonly [Program, ...Program[]];
  /** The replicas of each service. */
  readonly services: Readonly<Record<ServiceName, readonly [Program, ...Program[]]>>;
  /** Gateway and services. */
  readonly programs: readonly Program[];
  /** Between a service and what it uses; only what was asked for. */
  readonly proxies: {
    readonly postgres: Readonly<Record<ServiceName, FaultProxy>>;
    readonly nats: Readonly<Record<ServiceName, FaultProxy>>;
    /** Before each service, for all who call it. With replicas it balances between them. */
    readonly peers: Readonly<Record<ServiceName, FaultProxy>>;
    /** Before several gateways. */
    readonly gateway: FaultProxy;
  };
  /** Of the superuser, in the system's database, past every proxy. */
  readonly databaseUrl: string;
  /** Of each service's own role, past every proxy. */
  readonly serviceDatabaseUrls: Readonly<Record<ServiceName, string>>;
  readonly demo: Demo;
  /** Kills everything and deletes it. */
  stop(): Promise<void>;
}

const DATABASE = "cloud";
const HOST = "127.0.0.1";

/**
 * Reconcilers pass many times in every run. Their grace is longer than a relay's lease and a consumer's time to
 * acknowledge together (10 s each): a kill may cost an event both, and late is not lost.
 */
const RECONCILER = { RECONCILER_INTERVAL_MS: "2000", RECONCILER_GRACE_MS: "25000" };

/** No balancer lags behind where programs are just stopped. */
const LAME_DUCK = { LAME_DUCK_MS: "0" };

const mainOf = (program: ServiceName | "gateway") => {
  const folder = program === "gateway" ? "gateway" : `services/${program}`;
  return fileURLToPath(new URL(`../../../../../${folder}/src/main.ts`, import.meta.url));
};

export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const { replicas = 1, gateways: gatewayCount = 1, remove = [], proxied = [], preload = {} } = options;
  const removed = without(remove.flatMap((name) => controls[name]));
  const serviceToken = randomBytes(24).toString("base64url");

  await using resources = new AsyncDisposableStack();
  const owned = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const started = await starting;
    resources.defer(() => started.stop());
    return started;
  };
  const [postgres, nats] = await Promise.all([owned(startRestartablePostgres()), owned(startRestartableNats())]);
  const databaseUrls = await createServiceDatabases(postgres.superuserUrl, DATABASE);

  // 1. The ports of all, and what stands before them.
  const ports = await forEach(async () => await takePorts(replicas));
  const before = (target: number[]) => owned(startFaultProxy(...target.map((port) => ({ host: HOST, port }))));
  const needsBalancer = proxied.includes("peers") || replicas > 1;
  const peers = needsBalancer ? await forEach((name) => before(ports[name])) : undefined;
  const postgresProxies = proxied.includes("postgres") ? await forEach(() => before([postgres.port])) : undefined;
  const natsProxies = proxied.includes("nats") ? await forEach(() => before([nats.port])) : undefined;
  const urlOf = (name: ServiceName) => `http://${HOST}:${peers?.[name].port ?? ports[name][0]}`;
  const urls = {
    IDENTITY_URL: urlOf("identity"),
    ENVIRONMENT_URL: urlOf("environment"),
    WORKSPACE_URL: urlOf("workspace"),
  };

  // 2. The programs.
  const program = (name: ServiceName | "gateway", port: number, env: Record<string, string>) => {
    const before = name === "gateway" ? [] : (preload[name] ?? []);
    const created = createProgram({
      name,
      main: mainOf(name),
      port,
      env: { ...urls, ...RECONCILER, ...LAME_DUCK, ...env, ...removed.env, ...options.env },
      preload: [...removed.preload, ...before],
    });
    resources.defer(() => created.close());
    return created;
  };
  const services = await forEach(async (name) => {
    const env = {
      DATABASE_URL: throughProxy(databaseUrls[name], postgresProxies?.[name]),
      NATS_URL: throughProxy(nats.url, natsProxies?.[name]),
      SERVICE_TOKEN: serviceToken,
    };
    return ports[name].map((port) => program(name, port, env)) as [Program, ...Program[]];
  });
  const gatewayPorts = await takePorts(gatewayCount);
  const gatewayProxy = gatewayCount > 1 ? await before(gatewayPorts) : undefined;
  const gateways = gatewayPorts.map((port) => program("gateway", port, {})) as [Program, ...Program[]];
  const [gateway] = gateways;
  const programs = [...Object.values(services).flat(), ...gateways];
  await Promise.all(programs.map((one) => one.start()));

  // 3. The records that a run works with.
  const serviceUrls = { identity: urlOf("identity"), environment: urlOf("environment"), workspace: urlOf("workspace") };
  const gatewayUrl = gatewayProxy === undefined ? gateway.url : `http://${HOST}:${gatewayProxy.port}`;
  const stack = { gateway: gatewayUrl, services: serviceUrls, serviceToken };
  const demo = await seedDemo({ ...stack, stop: async () => undefined });

  const running = resources.move();
  return {
    postgres,
    nats,
    gateway,
    gateways,
    services,
    programs,
    proxies: {
      get postgres() {
        return present(postgresProxies, "postgres");
      },
      get nats() {
        return present(natsProxies, "nats");
      },
      get peers() {
        return present(peers, "peers");
      },
      get gateway() {
        return present(gatewayProxy, "several gateways");
      },
    },
    databaseUrl: new URL(DATABASE, postgres.superuserUrl).href,
    serviceDatabaseUrls: databaseUrls,
    demo,
    stop: () => running.disposeAsync(),
  };
}

async function forEach<T>(make: (name: ServiceName) => Promise<T>): Promise<Record<ServiceName, T>> {
  const entries = await Promise.all(SERVICES.map(async (name) => [name, await make(name)] as const));
  return Object.fromEntries(entries) as Record<ServiceName, T>;
}

const takePorts = (count: number) => Promise.all(Array.from({ length: count }, takeStablePort));

function throughProxy(url: string, proxy: FaultProxy | undefined): string {
  if (proxy === undefined) return url;
  const through = new URL(url);
  through.port = String(proxy.port);
  return through.href;
}

function present<T>(proxies: T | undefined, what: string): T {
  if (proxies === undefined) throw new TypeError(`the system was not started with ${what} behind proxies`);
  return proxies;
}
