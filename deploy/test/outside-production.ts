import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { type Json, text } from "./json.ts";
import { root } from "./programs.ts";
import type { Outside, Pod } from "./references/world.ts";

const FOLDER = `${root}deploy/overlays/production`;

/** Returns the parts of production besides its manifests: charts, operators, and the Secrets that its README lists. */
export function outsideProduction(cluster = CLUSTER_PODS): Outside {
  const nats = parse(readFileSync(`${FOLDER}/nats/values.yaml`, "utf8")) as Json;
  if (text(nats, "config.jetstream.fileStore.pvc.size") === "") throw new Error("NATS would store nothing");
  const labels = { "app.kubernetes.io/name": "nats" };
  return {
    secrets: documentedSecrets(),
    services: [{ name: "nats", selector: labels, ports: [{ number: 4222, target: "nats" }] }],
    pods: [
      pod("the servers of NATS", "cloud", labels, { nats: 4222, cluster: 6222, metrics: 7777 }),
      pod("CloudNativePG", "cnpg-system", { "app.kubernetes.io/name": "cloudnative-pg" }, {}),
      pod("the proxies of the Gateway", "envoy-gateway-system", {}, {}),
      ...cluster,
    ],
    issuers: ["ClusterIssuer letsencrypt"],
  };
}

const PROMETHEUS = pod("Prometheus", "monitoring", { "app.kubernetes.io/name": "prometheus" }, {});

/** The pods that every cluster has. */
export const CLUSTER_PODS: readonly Pod[] = [
  pod("DNS", "kube-system", { "k8s-app": "kube-dns" }, { 53: 53 }),
  PROMETHEUS,
];

/** The same of OpenShift. */
export const OPENSHIFT_PODS: readonly Pod[] = [
  pod("DNS", "openshift-dns", { "dns.operator.openshift.io/daemonset-dns": "default" }, { 5353: 5353 }),
  PROMETHEUS,
];

/** Reads the table of Secrets: the name, and the keys. */
export function documentedSecrets(): Record<string, string[]> {
  const rows = readFileSync(`${FOLDER}/README.md`, "utf8").matchAll(
    /^\| ((?:`[\w-]+`(?:, )?)+) \| ((?:`[\w.-]+`(?:, )?)+) \|/gm,
  );
  const names = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  return Object.fromEntries(
    [...rows].flatMap(([, secrets = "", keys = ""]) => names(secrets).map((secret) => [secret, names(keys)] as const)),
  );
}

function pod(owner: string, namespace: string, labels: Pod["labels"], ports: Pod["ports"]): Pod {
  return { owner, namespace, labels, spec: {}, ports };
}
