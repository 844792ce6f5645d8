import { beforeAll, describe, expect, test } from "@jest/globals";
import { buildManifests, type Manifest } from "./build-manifests.ts";
import { findManifest, onlyContainer, secretsOf, settingsIn } from "./find-manifest.ts";
import type { Deployment, NetworkPolicy, Service } from "./manifest-types.ts";
import { programs, root, settingsOf } from "./programs.ts";
import { complaintsOf } from "./run-program.ts";

const callers: Readonly<Record<string, readonly string[] | undefined>> = {
  workspace: ["gateway", "identity"],
  environment: ["gateway", "workspace"],
  identity: ["gateway", "workspace", "environment"],
};

const places = [
  ...programs.map((program) => ({ place: `base/${program.name}`, program })),
  ...programs.map((program) => ({ place: "overlays/example", program })),
];

describe.each(places)("$program.name of deploy/$place", ({ place, program }) => {
  let manifests: readonly Manifest[] = [];
  const the = <Kind extends Manifest>(kind: string): Kind => findManifest<Kind>(manifests, kind, program.name);
  const container = () => onlyContainer(the<Deployment>("Deployment"));

  beforeAll(() => {
    manifests = buildManifests(`${root}deploy/${place}`);
  });

  test("runs twice, without any right it does not need", () => {
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

  test("says what it uses at least and at most", () => {
    const amount = { cpu: expect.any(String), memory: expect.any(String) };
    expect(container().resources).toEqual({ requests: amount, limits: amount });
  });

  test("is probed on the port that the program, the container and the Service agree on", () => {
    const { ports, startupProbe, livenessProbe, readinessProbe } = container();
    const name = program.name === "gateway" ? "http" : "rpc";
    expect(ports).toEqual([{ name, containerPort: program.port }]);
    expect(startupProbe.httpGet).toEqual({ path: "/healthz", port: name });
    expect(livenessProbe.httpGet).toEqual({ path: "/healthz", port: name });
    expect(readinessProbe.httpGet).toEqual({ path: "/readyz", port: name });
    expect(the<Service>("Service").spec.ports).toMatchObject([{ port: program.port, targetPort: name }]);
    expect(settingsIn(manifests, container())["PORT"]).toBe(String(program.port));
  });

  test("serves on while it leaves the Service, without a program of the image's, and has the time to finish", () => {
    const { LAME_DUCK_MS } = settingsIn(manifests, container());
    expect(Number(LAME_DUCK_MS)).toBeGreaterThanOrEqual(5_000);
    expect(container().lifecycle).toBeUndefined();
    // And the 10 s that the programs give to calls in flight, all of it twice over.
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

  test("sets values that the program accepts", () => {
    // Nothing is served: each program is left without the secrets it requires, the gateway with a level that is none.
    const broken = program.name === "gateway" ? { LOG_LEVEL: "none" } : {};
    const env = { ...settingsIn(manifests, container()), ...broken };
    const expected = program.name === "gateway" ? ["LOG_LEVEL"] : ["DATABASE_URL", "SERVICE_TOKEN"];
    expect(complaintsOf(["node", "src/main.ts"], root + program.folder, env)).toEqual(expected);
  });

  test("reaches its peers where their Services are", () => {
    for (const peer of programs) {
      const url = settingsIn(manifests, container())[`${peer.name.toUpperCase()}_URL`];
      expect([undefined, `http://${peer.name}:${peer.port}`]).toContain(url);
      expect(url !== undefined).toBe(callers[peer.name]?.includes(program.name) ?? false);
    }
  });

  test("is reached by the programs that call it, and the gateway by everyone", () => {
    const { podSelector, policyTypes, ingress } = the<NetworkPolicy>("NetworkPolicy").spec;
    expect({ podSelector, policyTypes }).toEqual({ podSelector: labels(program.name), policyTypes: ["Ingress"] });
    const from = callers[program.name]?.map((name) => ({ podSelector: labels(name) }));
    expect(ingress).toEqual([
      { ports: [{ port: container().ports[0]?.name }], ...(from === undefined ? {} : { from }) },
    ]);
  });

  test("loses at most one replica at a time to maintenance", () => {
    expect(the("PodDisruptionBudget")).toMatchObject({ spec: { maxUnavailable: 1, selector: labels(program.name) } });
  });

  test("has an image of its own, with a release in the overlay", () => {
    const example = `registry.example.com/cloud/${program.name}:0.1.0`;
    expect(container().image).toBe(place.startsWith("base/") ? `cloud/${program.name}` : example);
  });

  test("brings no secret along", () => {
    expect(manifests.filter(({ kind }) => kind === "Secret")).toEqual([]);
  });
});

test("the overlay puts everything into one namespace that refuses pods with rights", () => {
  const manifests = buildManifests(root + "deploy/overlays/example");
  const [namespace, ...others] = [...manifests].sort((a) => (a.kind === "Namespace" ? -1 : 1));
  expect(namespace?.metadata.labels).toEqual({ "pod-security.kubernetes.io/enforce": "restricted" });
  expect(new Set(others.map(({ metadata }) => metadata.namespace))).toEqual(new Set(["cloud"]));
  expect(others).toHaveLength(programs.length * 6);
});

function labels(name: string) {
  return { matchLabels: { "app.kubernetes.io/name": name } };
}
