import { SERVICES, type ServiceName, type System, startSystem } from "../../system/start-system.ts";
import { openDatabases, type SystemDatabases } from "../../system/system-databases.ts";
import { type ControlPlane, type Output, startControlPlane } from "./control-plane.ts";
import { createDeployment, type Deployment } from "./deployment.ts";
import { type ClusterNats, startClusterNats } from "./nats-server.ts";
import { createKubectl, type Namespace } from "./run-kubectl.ts";
import { runOperator } from "./run-process.ts";
import { createSecrets, type Secrets } from "./secrets.ts";

export interface Cluster {
  readonly system: System;
  readonly databases: SystemDatabases;
  readonly secrets: Secrets;
  readonly nats: ClusterNats;
  readonly jobs: Map<string, Output>;
  readonly controlPlane: ControlPlane;
  deployment(name: string): Deployment;
  /** Sets what the next release adds to the environment of a service's pods, and of the Job that migrates. */
  release(service: ServiceName, added: Readonly<Record<string, string>>): void;
  stop(): Promise<void>;
}

const REPLICAS = 2;
/** The administrator of the demo's provider. */
const PROVIDER_ADMIN = "petra@demo.example";
/** Differences are repaired and conditions end within a second, and not within five minutes. */
const env = { RECONCILER_INTERVAL_MS: "500", RECONCILER_GRACE_MS: "1000" };

/** Starts the system, with what an operator's commands act on in front of it. */
export async function startCluster(): Promise<Cluster> {
  await using resources = new AsyncDisposableStack();
  const secrets = createSecrets();
  const nats = await startClusterNats(secrets);
  // The login is a file of the Secret, as deploy/base mounts it.
  const mount = (name: ServiceName, environment: Readonly<Record<string, string>>) => ({
    ...environment,
    NATS_URL: nats.plainUrl,
    NATS_USER: name,
    NATS_PASSWORD_FILE: `${secrets.folderOf(`${name}-nats`)}/password`,
  });
  const system = await startSystem({ replicas: REPLICAS, env, nats: async () => nats, mount });
  resources.defer(() => system.stop());
  const databases = resources.adopt(openDatabases(system), (opened) => opened.close());
  for (const name of SERVICES) {
    const { SERVICE_TOKEN = "", SERVICE_CREDENTIALS = "", DATABASE_URL = "" } = system.environments[name];
    secrets.set(`${name}-credentials`, { SERVICE_TOKEN, SERVICE_CREDENTIALS });
    secrets.set(`${name}-database`, { DATABASE_URL });
  }
  const deployments = new Map(
    [
      ...SERVICES.map((name) => {
        const fromSecrets = () => ({ ...secrets.get(`${name}-credentials`), ...secrets.get(`${name}-database`) });
        const balancer = system.proxies.peers[name];
        return createDeployment({ name, programs: system.services[name], balancer, fromSecrets });
      }),
      createDeployment({ name: "gateway", programs: system.gateways, balancer: undefined, fromSecrets: () => ({}) }),
    ].map((one) => [one.name, one]),
  );
  const deployment = (name: string) => {
    const found = deployments.get(name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };

  secrets.set("bootstrap-token", { token: "" });
  const jobs = new Map<string, Output>();
  const environmentOf = (name: string) => ({
    ...system.environments[name as ServiceName],
    ...env,
    ...deployment(name).environment(),
  });
  const releases = new Map<string, Readonly<Record<string, string>>>();
  const overlays = new Map<string, () => Promise<void>>([
    ...SERVICES.map((name) => [`deploy/overlays/production/${name}`, () => rollOut(name)] as const),
    ["deploy/overlays/production/bootstrap", () => bootstrap()],
  ]);
  const rollOut = async (name: ServiceName) => {
    const added = releases.get(name) ?? {};
    jobs.set(`${name}-migration`, await runOperator(name, ["migrate"], { ...environmentOf(name), ...added }));
    await deployment(name).setEnvironment({ MIGRATE: "off", ...added });
  };
  const bootstrap = async () => {
    const token = `${secrets.folderOf("bootstrap-token")}/token`;
    const args = ["bootstrap", "--organization", "Acme", "--email", PROVIDER_ADMIN, "--token-file", token];
    jobs.set("identity-bootstrap", await runOperator("identity", args, environmentOf("identity")));
  };

  const namespace: Namespace = { deployments, secrets, nats, jobs, environmentOf, overlays };
  const controlPlane = await startControlPlane(createKubectl(namespace));
  resources.defer(() => controlPlane.stop());
  const running = resources.move();
  return {
    system,
    databases,
    secrets,
    nats,
    jobs,
    controlPlane,
    deployment,
    release: (service, added) => void releases.set(service, added),
    stop: () => running.disposeAsync(),
  };
}
