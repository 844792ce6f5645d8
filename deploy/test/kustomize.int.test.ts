import { readFileSync } from "node:fs";
import { COMPILE_CACHE } from "@cloud/testkit";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { buildManifests, type Manifest } from "./build-manifests.ts";
import { destinationsOf, inAnyNamespace } from "./destinations.ts";
import { findManifest, onlyContainer, secretsOf, settingsIn } from "./find-manifest.ts";
import type { Certificate, Deployment, NetworkPolicy, Service } from "./manifest-types.ts";
import { type Program, programs, root, settingsOf } from "./programs.ts";
import { complaintsOf } from "./run-program.ts";

const callers: Readonly<Record<string, readonly string[] | undefined>> = {
  workspace: ["gateway", "identity"],
  environment: ["gateway", "workspace"],
  identity: ["gateway", "workspace", "environment"],
};

const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string };

const MUTUAL_TLS = "overlays/mutual-tls";

const places = [
  ...programs.map((program) => ({ place: `base/${program.name}`, program })),
  ...["overlays/example", MUTUAL_TLS].flatMap((place) => programs.map((program) => ({ place, program }))),
];

describe.each(places)("$program.name of deploy/$place", ({ place, program }) => {
  let manifests: readonly Manifest[] = [];
  const the = <Kind extends Manifest>(kind: string): Kind => findManifest<Kind>(manifests, kind, program.name);
  const container = () => onlyContainer(the<Deployment>("Deployment"));

  beforeAll(() => {
    manifests = buildManifests(`${root}deploy/${place}`);
  });

  test("runs two replicas, without any privilege it does not need", () => {
    const { replicas, template } = the<Deployment>("Deployment").spec;
    expect(replicas).toBe(2);
    expect(template.spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      serviceAccountName: program.name,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(container().securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(the("ServiceAccount")).toMatchObject({ automountServiceAccountToken: false });
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
    expect(the<Deployment>("Deployment").spec.template.metadata.annotations).toEqual({
      "prometheus.io/scrape": "true",
      "prometheus.io/port": String(program.operatorPort),
      "prometheus.io/path": "/metrics",
    });
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
    const known = settingsOf(program);
    const set = [...Object.keys(settingsIn(manifests, container())), ...secretsOf(container())];
    expect(new Set(set).size).toBe(set.length);
    expect(known.map(({ name }) => name)).toEqual(expect.arrayContaining(set));
    expect(set).toEqual(expect.arrayContaining(known.filter(({ required }) => required).map(({ name }) => name)));
  });

  test("has a credential of its own, in a Secret that no other program reads", () => {
    const names = new Set(
      container()
        .env?.filter(({ name }) => name.startsWith("SERVICE_"))
        .map(({ valueFrom }) => valueFrom.secretKeyRef.name),
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

  test("has its schema migrated by the same image before it starts, and never has the owner's password", () => {
    const { initContainers = [] } = the<Deployment>("Deployment").spec.template.spec;
    if (program.name === "gateway") return expect(initContainers).toEqual([]);
    const { image, securityContext } = container();
    expect(initContainers).toEqual([
      {
        name: "migrate",
        image,
        env: [
          { name: "MIGRATE", value: "only" },
          { name: "DATABASE_ROLE", value: program.name },
          {
            name: "MIGRATION_DATABASE_URL",
            valueFrom: { secretKeyRef: { name: `${program.name}-migration`, key: "MIGRATION_DATABASE_URL" } },
          },
        ],
        volumeMounts: [{ name: "migration", mountPath: "/etc/cloud/migration", readOnly: true }],
        resources: { requests: expect.any(Object), limits: expect.any(Object) },
        securityContext,
      },
    ]);
    expect(settingsIn(manifests, container())["MIGRATE"]).toBe("off");
    expect(secretsOf(container())).not.toContain("MIGRATION_DATABASE_URL");
  });

  test("finds the files that its settings name in a Secret of its own, which only its group can read", () => {
    const { volumes = [], containers } = the<Deployment>("Deployment").spec.template.spec;
    const mounts = containers[0]?.volumeMounts ?? [];
    for (const file of Object.values(filesIn(settingsIn(manifests, container())))) {
      const mount = mounts.find(({ mountPath }) => file.startsWith(`${mountPath}/`));
      expect(mount).toMatchObject({ readOnly: true });
      const secret = volumes.find(({ name }) => name === mount?.name)?.secret;
      expect(secret).toMatchObject({ secretName: `${program.name}-${mount?.name}`, defaultMode: 0o440 });
    }
  });

  test("reaches its peers by their Services", () => {
    for (const peer of programs) {
      const url = settingsIn(manifests, container())[`${peer.name.toUpperCase()}_URL`];
      const scheme = place === MUTUAL_TLS ? "https" : "http";
      expect([undefined, `${scheme}://${peer.name}:${peer.port}`]).toContain(url);
      expect(url !== undefined).toBe(callers[peer.name]?.includes(program.name) ?? false);
    }
  });

  test("accepts connections from the programs that call it, and the gateway from any client", () => {
    const { podSelector, ingress } = the<NetworkPolicy>("NetworkPolicy").spec;
    expect(podSelector).toEqual(labels(program.name));
    const from = callers[program.name]?.map((name) => ({ podSelector: labels(name) }));
    expect(ingress).toEqual([
      { ports: [{ port: container().ports[0]?.name }], ...(from === undefined ? {} : { from }) },
      { ports: [{ port: "operator" }], from: [inAnyNamespace({ "app.kubernetes.io/name": "prometheus" })] },
    ]);
  });

  test("connects to DNS, to its Postgres and NATS if it has them, to the peers that it calls, and to nothing else", () => {
    expect(destinationsOf(the<NetworkPolicy>("NetworkPolicy"))).toEqual(neededBy(program));
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
    const example = `registry.example.com/cloud/${program.name}:${version}`;
    expect(container().image).toBe(place.startsWith("base/") ? `cloud/${program.name}` : example);
  });

  test("contains no Secret", () => {
    expect(manifests.filter(({ kind }) => kind === "Secret")).toEqual([]);
  });
});

test("the overlay puts everything into one namespace that refuses privileged pods", () => {
  const manifests = buildManifests(root + "deploy/overlays/example");
  const [namespace, ...others] = [...manifests].sort((a) => (a.kind === "Namespace" ? -1 : 1));
  expect(namespace?.metadata.labels).toEqual({ "pod-security.kubernetes.io/enforce": "restricted" });
  expect(new Set(others.map(({ metadata }) => metadata.namespace))).toEqual(new Set(["cloud"]));
  expect(others).toHaveLength(programs.length * 6);
});

test("with mutual TLS, each certificate has the name by which its program is reached, and the files that it mounts", () => {
  const manifests = buildManifests(root + "deploy/" + MUTUAL_TLS);
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
function neededBy({ name }: Program): string[] {
  const peers = programs.filter((peer) => callers[peer.name]?.includes(name));
  const servers =
    name === "gateway"
      ? []
      : ["5432/TCP */app.kubernetes.io/name=postgresql", "4222/TCP */app.kubernetes.io/name=nats"];
  const dns = ["53/UDP */k8s-app=kube-dns", "53/TCP */k8s-app=kube-dns"];
  return [
    ...dns,
    ...servers,
    ...peers.map((peer) => `${peer.port}/TCP app.kubernetes.io/name=${peer.name}`),
  ].toSorted();
}

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
