import { beforeAll, describe, expect, test } from "@jest/globals";
import { buildManifests, type Manifest } from "./build-manifests.ts";
import { all, at, isObject, type Json, text, texts } from "./json.ts";
import { CLUSTER_PODS, documentedSecrets, OPENSHIFT_PODS, outsideProduction } from "./outside-production.ts";
import { podSecurityProblems } from "./pod-security.ts";
import { programs, root } from "./programs.ts";
import { findBroken } from "./references/find-broken.ts";
import type { Outside } from "./references/world.ts";
import { asJson, withChange } from "./with-change.ts";

const ALONE: Outside = { secrets: {}, services: [], pods: CLUSTER_PODS, issuers: [] };

const overlays: readonly (readonly [string, () => Outside])[] = [
  ["local", () => ALONE],
  ["production", outsideProduction],
];

describe.each(overlays)("deploy/overlays/%s", (overlay, outside) => {
  let manifests: readonly Manifest[] = [];
  beforeAll(() => {
    manifests = buildManifests(`${root}deploy/overlays/${overlay}`);
  });

  test("every reference is to what exists, and no policy refuses a connection that the settings need, or allows others", () => {
    expect(findBroken(manifests, outside())).toEqual([]);
  });

  test("every pod is accepted by a namespace with the restricted Pod Security Standard, and the namespace demands it", () => {
    const pods = asJson(manifests).flatMap((object) =>
      all(object, "spec.template.spec").map((spec) => [text(object, "metadata.name"), spec] as const),
    );
    expect(pods.length).toBeGreaterThan(4);
    expect(pods.flatMap(([name, spec]) => podSecurityProblems(name, spec))).toEqual([]);
    const [namespace] = asJson(manifests).filter((object) => text(object, "kind") === "Namespace");
    expect(at(namespace, "metadata.labels")).toMatchObject({ "pod-security.kubernetes.io/enforce": "restricted" });
  });

  test("every object is in the namespace cloud, and every pod has no token of the Kubernetes API", () => {
    const others = asJson(manifests).filter((object) => text(object, "kind") !== "Namespace");
    expect(new Set(others.map((object) => text(object, "metadata.namespace")))).toEqual(new Set(["cloud"]));
    const pods = others.flatMap((object) => all(object, "spec.template.spec")).filter(isObject);
    expect(new Set(pods.map((spec) => spec["automountServiceAccountToken"]))).toEqual(new Set([false]));
  });
});

describe("production", () => {
  let manifests: readonly Manifest[] = [];
  beforeAll(() => {
    manifests = buildManifests(`${root}deploy/overlays/production`);
  });

  const CONTAINER = "spec.template.spec.containers.0";
  test.each<[string, string, Json | undefined, string]>([
    ["Service workspace", "spec.selector", { "app.kubernetes.io/name": "other" }, "Service workspace selects no pod"],
    ["Service workspace", "spec.ports.0.targetPort", "http", "Deployment workspace has no port http"],
    [
      "PodDisruptionBudget workspace",
      "spec.selector.matchLabels",
      { a: "b" },
      "PodDisruptionBudget workspace selects no pod",
    ],
    ["Deployment workspace", "spec.template.metadata.labels", {}, "does not select its own pods"],
    ["Deployment workspace", "spec.template.spec.serviceAccountName", "other", "no ServiceAccount other"],
    ["Deployment workspace", `${CONTAINER}.env.1.valueFrom.secretKeyRef.name`, "other", "no Secret other"],
    [
      "Deployment workspace",
      `${CONTAINER}.env.1.valueFrom.secretKeyRef.key`,
      "other",
      "Secret workspace-credentials has no key other",
    ],
    ["Deployment workspace", `${CONTAINER}.envFrom.0.configMapRef.name`, "other", "no ConfigMap other"],
    ["Deployment workspace", `${CONTAINER}.envFrom`, [], "NATS_URL is not set"],
    ["Deployment workspace", `${CONTAINER}.env.1.name`, "SERVICE_TOKENS", "SERVICE_TOKENS is read by no program"],
    ["Deployment workspace", `${CONTAINER}.env.1.name`, "SERVICE_TOKENS", "SERVICE_TOKEN is not set"],
    ["Job workspace-migration", `${CONTAINER}.env.2.name`, "PASSWORD", "$(OWNER_PASSWORD) is not set"],
    ["Deployment workspace", `${CONTAINER}.volumeMounts.0.name`, "other", "no volume other"],
    ["Deployment workspace", `${CONTAINER}.volumeMounts.2.mountPath`, "/etc/other", "names /etc/cloud/database/ca.crt"],
    [
      "Deployment workspace",
      `${CONTAINER}.volumeMounts.2.mountPath`,
      "/etc/other",
      "names /etc/cloud/database/password",
    ],
    ["Deployment workspace", `${CONTAINER}.volumeMounts.0`, undefined, "volume tls is not mounted"],
    ["Deployment workspace", `${CONTAINER}.env.3`, { name: "DATABASE_URL", value: "" }, "DATABASE_URL is set twice"],
    ["Job workspace-migration", `${CONTAINER}.env.1.value`, "$(MIGRATION_DATABASE_URL)", "is set after its use"],
    ["Job identity-bootstrap", `${CONTAINER}.env.1.name`, "DATABASE_URLS", "DATABASE_URLS is read by no program"],
    ["Deployment workspace", "spec.replicas", 2, "each release would reset its number of replicas"],
    ["Deployment workspace", `${CONTAINER}.resources.requests.cpu`, undefined, "requests no processor time"],
    ["Job workspace-migration", `${CONTAINER}.env.0.value`, "off", "SERVICE_TOKEN is not set"],
    ["ConfigMap workspace-settings", "data.IDENTITY_URL", "https://identities:8083", "no Service identities"],
    ["ConfigMap workspace-settings", "data.IDENTITY_URL", "https://identity:8084", "no port identity:8084"],
    ["ConfigMap workspace-settings", "data.NATS_CA_FILE", "/etc/cloud/nats/other.crt", "which no volume has"],
    ["ConfigMap workspace-settings", "data.LOG_LEVELS", "info", "LOG_LEVELS is read by no program"],
    [
      "NetworkPolicy identity",
      "spec.ingress.0.from",
      [{ podSelector: { matchLabels: { a: "b" } } }],
      "Deployment workspace to Deployment identity:rpc: refused by the ingress",
    ],
    [
      "NetworkPolicy workspace",
      "spec.egress.1.ports.0.port",
      5433,
      "to Cluster workspace-postgres:postgresql: refused by the egress",
    ],
    ["NetworkPolicy workspace", "spec.egress.0.ports.0.protocol", "TCP", "to DNS:53: refused by the egress"],
    ["NetworkPolicy workspace", "spec.egress.5", { ports: [{ port: 443 }] }, "is needed by none"],
    ["NetworkPolicy workspace", "spec.podSelector.matchLabels", { a: "b" }, "NetworkPolicy workspace selects no pod"],
    [
      "NetworkPolicy identity",
      "spec.ingress.0.from.3",
      { podSelector: { matchLabels: { "app.kubernetes.io/name": "nats" } } },
      "is needed by none, in its ingress",
    ],
    [
      "NetworkPolicy workspace-postgres",
      "spec.ingress.1.from.0.podSelector.matchLabels",
      { a: "b" },
      "CloudNativePG to Cluster workspace-postgres:status: refused",
    ],
    [
      "NetworkPolicy gateway",
      "spec.ingress.0.from.0.namespaceSelector.matchLabels",
      { a: "b" },
      "the proxies of the Gateway to Deployment gateway:http: refused",
    ],
    [
      "NetworkPolicy nats",
      "spec.ingress.1.from.0.podSelector.matchLabels",
      { a: "b" },
      "the servers of NATS to the servers of NATS:cluster: refused",
    ],
    ["Cluster workspace-postgres", "spec.bootstrap.initdb.database", "other", "has no database workspace"],
    ["Cluster workspace-postgres", "spec.bootstrap.initdb.owner", "other", "has no role workspace_owner"],
    ["Job workspace-migration", `${CONTAINER}.env.1.value`, "other", "has no role other"],
    ["ScheduledBackup workspace-postgres", "spec.cluster.name", "other", "no Cluster other"],
    ["NetworkPolicy workspace-postgres", "spec.ingress", [], "refused by the ingress of Cluster workspace-postgres"],
    [
      "NetworkPolicy workspace",
      "spec.ingress.1.from.0.namespaceSelector.matchLabels",
      { a: "b" },
      "Prometheus to Deployment workspace:operator: refused",
    ],
    ["ServiceMonitor workspace", "spec.selector.matchLabels", { a: "b" }, "selects no Service"],
    ["ServiceMonitor workspace", "spec.endpoints.0.port", "rpc", "Service workspace-metrics has no port rpc"],
    ["HorizontalPodAutoscaler workspace", "spec.scaleTargetRef.name", "other", "no Deployment other"],
    ["HorizontalPodAutoscaler workspace", "spec.maxReplicas", 12, "has 250"],
    ["HTTPRoute gateway", "spec.rules.0.backendRefs.0.port", 80, "no Service gateway:80"],
    ["HTTPRoute gateway", "spec.parentRefs.0.sectionName", "tls", "no listener cloud/tls"],
    ["Gateway cloud", "spec.listeners.0.tls.certificateRefs.0.name", "other", "no Secret other"],
    ["Certificate cloud-edge", "spec.dnsNames", ["other.example.com"], "has no name cloud.example.com"],
    ["Certificate workspace", "spec.issuerRef.name", "other", "no Issuer other"],
    ["Certificate workspace", "spec.secretName", "other", "no Secret workspace-tls"],
  ])("control: %s with %s = %j is found", (title, path, value, line) => {
    const found = findBroken(withChange(manifests, title, path, value), outsideProduction());
    expect(found.filter((one) => one.includes(line))).not.toEqual([]);
  });

  test.each<[string, Json | undefined, string]>([
    ["spec.template.spec.hostNetwork", true, "hostNetwork"],
    ["spec.template.spec.securityContext.runAsNonRoot", false, "may run as root"],
    ["spec.template.spec.securityContext.seccompProfile", undefined, "has no seccomp profile"],
    ["spec.template.spec.volumes.0", { name: "database", hostPath: { path: "/" } }, "a volume of the kind hostPath"],
    [`${CONTAINER}.securityContext.allowPrivilegeEscalation`, undefined, "gains privileges"],
    [`${CONTAINER}.securityContext.capabilities`, {}, "keeps capabilities"],
  ])("control: a pod with %s = %j is refused by the restricted standard", (path, value, problem) => {
    const [deployment] = asJson(withChange(manifests, "Deployment workspace", path, value)).filter(
      (object) => text(object, "kind") === "Deployment" && text(object, "metadata.name") === "workspace",
    );
    const [spec = null] = all(deployment, "spec.template.spec");
    expect(podSecurityProblems("workspace", spec).join()).toContain(problem);
  });

  test("every pod resolves names on OpenShift by the component openshift-dns, and by its own policies not", () => {
    const [policy] = buildManifests(`${root}deploy/components/openshift-dns`);
    const refused = (all: readonly Manifest[]) =>
      findBroken(all, outsideProduction(OPENSHIFT_PODS)).filter((line) => line.includes("to DNS:5353"));
    expect(refused(manifests)).toHaveLength(12); // four programs, three migrations, bootstrap, three Postgres and NATS
    expect(refused([...manifests, policy as Manifest])).toEqual([]);
  });

  test("each program has its own image, certificate, account, policy, budget, autoscaler and monitor, and each service its Postgres and migration", () => {
    const kinds = (name: string) =>
      asJson(manifests)
        .filter((object) => new RegExp(`^${name}(-migration|-postgres|-metrics)?$`).test(text(object, "metadata.name")))
        .map((object) => text(object, "kind"))
        .sort();
    const common = ["Certificate", "Deployment", "HorizontalPodAutoscaler", "NetworkPolicy", "PodDisruptionBudget"];
    const both = [...common, "Service", "Service", "ServiceAccount", "ServiceMonitor"];
    const own = ["Cluster", "Job", "NetworkPolicy", "NetworkPolicy", "ScheduledBackup", "ServiceAccount"];
    expect(kinds("gateway")).toEqual([...both, "HTTPRoute"].sort());
    for (const { name } of programs.filter((program) => program.name !== "gateway")) {
      expect(kinds(name)).toEqual([...both, ...own].sort());
    }
  });

  test("the three services differ only in their names, ports and callers", () => {
    const shapes = ["workspace", "environment", "identity"].map((name) => {
      const kinds = ["Cluster", "ScheduledBackup", "HorizontalPodAutoscaler", "Job", "ServiceMonitor", "Certificate"];
      const own = asJson(manifests).filter(
        (object) => kinds.includes(text(object, "kind")) && text(object, "metadata.name").startsWith(name),
      );
      return JSON.stringify(own.filter((object) => !text(object, "metadata.name").endsWith("bootstrap"))).replaceAll(
        name,
        "service",
      );
    });
    expect(new Set(shapes).size).toBe(1);
  });

  test("each folder can be applied by itself, and is the part of the whole that it has there", () => {
    const whole = manifests.map((manifest) => JSON.stringify(manifest));
    const parts = ["shared", "nats", "workspace", "environment", "identity", "gateway", "bootstrap"].flatMap((folder) =>
      buildManifests(`${root}deploy/overlays/production/${folder}`).map((manifest) => JSON.stringify(manifest)),
    );
    expect(parts.sort()).toEqual(whole.sort());
  });

  test("its README lists the Secrets that are to be made before, and no others", () => {
    const paths = [
      "spec.template.spec.containers.*.env.*.valueFrom.secretKeyRef.name",
      "spec.template.spec.volumes.*.secret.secretName",
      "spec.template.spec.volumes.*.projected.sources.*.secret.name",
      "spec.managed.roles.*.passwordSecret.name",
    ];
    const named = new Set(asJson(manifests).flatMap((object) => paths.flatMap((path) => texts(object, path))));
    const made = asJson(manifests).flatMap((object) => all(object, "spec.secretName").map(String));
    const expected = [...named].filter((name) => !made.includes(name) && !/-postgres-(app|ca)$/.test(name));
    // The Secrets of NATS' servers are compared with the chart's values.
    const documented = Object.keys(documentedSecrets()).filter(
      (name) => !["operator-nats", "system-nats"].includes(name),
    );
    expect(documented.sort()).toEqual(expected.sort());
  });
});
