import { readFileSync } from "node:fs";
import { COMPILE_CACHE } from "@cloud/testkit";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { buildManifests, type Manifest } from "./build-manifests.ts";
import { destinationsOf } from "./destinations.ts";
import { findManifest, onlyContainer, settingsIn } from "./find-manifest.ts";
import type { Certificate, Deployment, InitContainer, NetworkPolicy, Service } from "./manifest-types.ts";
import { type Program, programs, root } from "./programs.ts";
import { brokenVariables } from "./references/variables.ts";
import { worldOf } from "./references/world.ts";
import { complaintsOf } from "./run-program.ts";

const callers: Readonly<Record<string, readonly string[] | undefined>> = {
  workspace: ["gateway", "identity"],
  environment: ["gateway", "workspace"],
  identity: ["gateway", "workspace", "environment"],
};

const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string };

const LOCAL = "overlays/local";
const PRODUCTION = "overlays/production";

const places = [
  ...programs.map((program) => ({ place: `base/${program.name}`, program })),
  ...[LOCAL, PRODUCTION].flatMap((place) => programs.map((program) => ({ place, program }))),
];

describe.each(places)("$program.name of deploy/$place", ({ place, program }) => {
  let manifests: readonly Manifest[] = [];
  const the = <Kind extends Manifest>(kind: string): Kind => findManifest<Kind>(manifests, kind, program.name);
  const container = () => onlyContainer(the<Deployment>("Deployment"));

  beforeAll(() => {
    manifests = buildManifests(`${root}deploy/${place}`);
  });

  test("runs two replicas, or as many as its autoscaler decides, without any privilege it does not need", () => {
    const { replicas, template } = the<Deployment>("Deployment").spec;
    expect(replicas).toBe(place === PRODUCTION ? undefined : place === LOCAL ? 1 : 2);
    expect(template.spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      serviceAccountName: program.name,
    });
    expect(template.spec.securityContext).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(container().securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(the("ServiceAccount")).toMatchObject({ automountServiceAccountToken: false });
  });

  test("names no user or group: a namespace of OpenShift has a range of its own", () => {
    const own = manifests.filter(
      ({ kind, metadata: { name } }) => kind !== "StatefulSet" && name.startsWith(program.name),
    );
    expect(own.length).toBeGreaterThan(2);
    expect(JSON.stringify(own)).not.toMatch(/"(runAsUser|runAsGroup|fsGroup|supplementalGroups)"/);
  });

  test("declares its resource requests and limits", () => {
    const amount = { cpu: expect.any(String), memory: expect.any(String) };
    expect(container().resources).toEqual({ requests: amount, limits: amount });
  });

  test("is probed and scraped on its operator's port, and serves on the port that the Service names", () => {
    const { ports, startupProbe, livenessProbe, readinessProbe } = container();
    const name = program.name === "gateway" ? "http" : "rpc";
    expect(ports).toEqual([
      { name, containerPort: program.port },
      { name: "operator", containerPort: program.operatorPort },
    ]);
    expect(startupProbe.httpGet).toEqual({ path: "/healthz", port: "operator" });
    expect(livenessProbe.httpGet).toEqual({ path: "/healthz", port: "operator" });
    expect(readinessProbe.httpGet).toEqual({ path: "/readyz", port: "operator" });
    const settings = settingsIn(manifests, container());
    expect([settings["PORT"], settings["OPERATOR_PORT"]]).toEqual([program.port, program.operatorPort].map(String));
    // No client of the Service reaches the operator's port.
    expect(the<Service>("Service").spec.ports).toMatchObject([{ port: program.port, targetPort: name }]);
    const annotations = {
      "prometheus.io/scrape": "true",
      "prometheus.io/port": String(program.operatorPort),
      "prometheus.io/path": "/metrics",
    };
    const { metadata } = the<Deployment>("Deployment").spec.template;
    // Production has a ServiceMonitor.
    expect(metadata.annotations).toEqual(place === PRODUCTION ? undefined : annotations);
  });

  test("serves on while it is removed from the Service, without a lifecycle hook, and has the time to finish", () => {
    const { LAME_DUCK_MS } = settingsIn(manifests, container());
    expect(Number(LAME_DUCK_MS)).toBeGreaterThanOrEqual(5_000);
    expect(container().lifecycle).toBeUndefined();
    // Twice the sum of that and the 10 s that the programs give to calls in flight.
    const { terminationGracePeriodSeconds } = the<Deployment>("Deployment").spec.template.spec;
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(2 * (Number(LAME_DUCK_MS) / 1000 + 10));
  });

  test("sets every variable that the program requires, and none that it does not read", () => {
    const alone = { secrets: {}, services: [], pods: [], issuers: [] };
    expect(brokenVariables(worldOf(manifests, alone))).toEqual([]);
  });

  test("has a credential of its own, in a Secret that no other program reads", () => {
    const names = new Set(
      container()
        .env?.filter(({ name }) => name.startsWith("SERVICE_"))
        .map(({ valueFrom }) => withoutHash(valueFrom?.secretKeyRef.name ?? "")),
    );
    expect(names).toEqual(new Set(program.name === "gateway" ? [] : [`${program.name}-credentials`]));
  });

  test("sets values that the program accepts", () => {
    // No program serves: each lacks the secrets that it requires, and the gateway has an invalid log level.
    const broken = program.name === "gateway" ? { LOG_LEVEL: "none" } : {};
    const env = {
      ...settingsIn(manifests, container()),
      ...mountedHere(settingsIn(manifests, container())),
      ...broken,
      ...COMPILE_CACHE,
    };
    const expected =
      program.name === "gateway" ? ["LOG_LEVEL"] : ["DATABASE_URL", "SERVICE_TOKEN", "SERVICE_CREDENTIALS"];
    expect(complaintsOf(["node", "src/main.ts"], root + program.folder, env)).toEqual(expected);
  });

  test("has its schema migrated by the same image before it serves, and never has the owner's password", () => {
    const { initContainers = [] } = the<Deployment>("Deployment").spec.template.spec;
    if (program.name === "gateway") return expect(initContainers).toEqual([]);
    expect(settingsIn(manifests, container())["MIGRATE"]).toBe("off");
    expect(JSON.stringify([container().env, container().volumeMounts])).not.toMatch(/migration|owner/i);
    const [migration, ...more] = place === PRODUCTION ? migrationJob(manifests, program) : initContainers;
    expect([initContainers.length, more]).toEqual([place === PRODUCTION ? 0 : 1, []]);
    const { image, securityContext } = container();
    expect(migration).toMatchObject({
      name: "migrate",
      image,
      volumeMounts: [{ name: "migration", mountPath: "/etc/cloud/migration", readOnly: true }],
      resources: { requests: expect.any(Object), limits: expect.any(Object) },
      securityContext,
    });
    expect(migration?.env).toEqual(
      expect.arrayContaining([
        { name: "MIGRATE", value: "only" },
        { name: "DATABASE_ROLE", value: program.name },
        expect.objectContaining({ name: "MIGRATION_DATABASE_URL" }),
      ]),
    );
  });

  test("mounts Secrets that only its group can read, and writes to none", () => {
    const { volumes = [], containers } = the<Deployment>("Deployment").spec.template.spec;
    const mounts = containers[0]?.volumeMounts ?? [];
    expect(mounts.filter(({ readOnly }) => readOnly !== true)).toEqual([]);
    expect(volumes.map(({ secret, projected }) => (secret ?? projected)?.defaultMode)).toEqual(
      volumes.map(() => 0o440),
    );
  });

  test("reaches its peers by their Services", () => {
    for (const peer of programs) {
      const url = settingsIn(manifests, container())[`${peer.name.toUpperCase()}_URL`];
      const scheme = place === PRODUCTION ? "https" : "http";
      expect([undefined, `${scheme}://${peer.name}:${peer.port}`]).toContain(url);
      expect(url !== undefined).toBe(callers[peer.name]?.includes(program.name) ?? false);
    }
  });

  test("accepts connections from the programs that call it, and the gateway from any client", () => {
    const { podSelector, ingress } = the<NetworkPolicy>("NetworkPolicy").spec;
    expect(podSelector).toEqual(labels(program.name));
    const atEdge = place === PRODUCTION ? [{ namespaceSelector: namespaceLabels("envoy-gateway-system") }] : undefined;
    const from = callers[program.name]?.map((name) => ({ podSelector: labels(name) })) ?? atEdge;
    const monitoring = place === PRODUCTION ? namespaceLabels("monitoring") : {};
    expect(ingress).toEqual([
      { ports: [{ port: container().ports[0]?.name }], ...(from === undefined ? {} : { from }) },
      { ports: [{ port: "operator" }], from: [{ namespaceSelector: monitoring, podSelector: labels("prometheus") }] },
    ]);
  });

  test("connects to DNS, to its Postgres and NATS if it has them, to the peers that it calls, and to nothing else", () => {
    expect(destinationsOf(the<NetworkPolicy>("NetworkPolicy"))).toEqual(neededBy(program, place));
  });

  test("control: without egress rules, or without the policy type, it could connect to anything", () => {
    const policy = the<NetworkPolicy>("NetworkPolicy");
    const { egress: _removed, ...spec } = policy.spec;
    const open = { ...policy.spec, policyTypes: ["Ingress"] };
    expect(() => destinationsOf({ ...policy, spec })).toThrow("limits nothing that goes out");
    expect(() => destinationsOf({ ...policy, spec: open })).toThrow("limits nothing that goes out");
    expect(() => destinationsOf({ ...policy, spec: { ...policy.spec, egress: [{}] } })).toThrow("any destination");
  });

  test("loses at most one replica at a time to maintenance", () => {
    expect(the("PodDisruptionBudget")).toMatchObject({ spec: { maxUnavailable: 1, selector: labels(program.name) } });
  });

  test("has an image of its own, with a release in the overlay", () => {
    const images: Readonly<Record<string, string>> = {
      [LOCAL]: `cloud/${program.name}:local`,
      [PRODUCTION]: `registry.example.com/cloud/${program.name}:${version}`,
    };
    expect(container().image).toBe(images[place] ?? `cloud/${program.name}`);
  });

  test("contains no Secret, but for a laptop", () => {
    expect(manifests.some(({ kind }) => kind === "Secret")).toBe(place === LOCAL);
  });
});

test("with mutual TLS, each certificate has the name by which its program is reached, and the files that it mounts", () => {
  const manifests = buildManifests(root + "deploy/" + PRODUCTION);
  for (const { name } of programs) {
    const { spec } = findManifest<Certificate>(manifests, "Certificate", name);
    expect(spec).toMatchObject({ secretName: `${name}-tls`, dnsNames: [name], issuerRef: { name: "cloud-authority" } });
    expect(spec.usages).toContain("client auth");
    const settings = settingsIn(manifests, onlyContainer(findManifest(manifests, "Deployment", name)));
    expect(settings).toMatchObject({ PEER_CERT_FILE: "/etc/cloud/tls/tls.crt", PEER_CA_FILE: "/etc/cloud/tls/ca.crt" });
    if (name === "gateway") continue;
    expect(spec.usages).toContain("server auth");
    expect(settings["TLS_CLIENT_CA_FILE"]).toBe("/etc/cloud/tls/ca.crt");
    const [port] = findManifest<Service>(manifests, "Service", name).spec.ports;
    expect(port).toMatchObject({ name: "rpc", appProtocol: "https" });
  }
});

/** Returns where a program has to connect to. */
function neededBy({ name }: Program, place: string): string[] {
  const peers = programs.filter((peer) => callers[peer.name]?.includes(name));
  const anywhere = ["5432/TCP */app.kubernetes.io/name=postgresql", "4222/TCP */app.kubernetes.io/name=nats"];
  const ownServers = [`5432/TCP cnpg.io/cluster=${name}-postgres`, "4222/TCP app.kubernetes.io/name=nats"];
  const servers = place === PRODUCTION ? ownServers : anywhere;
  const dns = ["53/UDP */k8s-app=kube-dns", "53/TCP */k8s-app=kube-dns"];
  return [
    ...dns,
    ...(name === "gateway" ? [] : servers),
    ...peers.map((peer) => `${peer.port}/TCP app.kubernetes.io/name=${peer.name}`),
  ].toSorted();
}

/** Returns the containers of the Job that migrates in place of an init container. */
function migrationJob(manifests: readonly Manifest[], { name }: Program): readonly InitContainer[] {
  const { template } = findManifest<Deployment>(manifests, "Job", `${name}-migration`).spec;
  return template.spec.containers as unknown as readonly InitContainer[];
}

/** kustomize appends a hash to the name of a Secret that it generates. */
const withoutHash = (name: string) => name.replace(/-[0-9a-z]{10}$/, "");

/** Returns the variables that name a file, with its path in the container. */
function filesIn(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => name.endsWith("_FILE")));
}

/** Returns the same variables with a file of this machine. */
const mountedHere = (settings: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.keys(filesIn(settings)).map((name) => [name, import.meta.filename]));

function labels(name: string) {
  return { matchLabels: { "app.kubernetes.io/name": name } };
}

function namespaceLabels(name: string) {
  return { matchLabels: { "kubernetes.io/metadata.name": name } };
}
