import type { Manifest } from "../build-manifests.ts";
import { all, entriesOf, isObject, type Json, text } from "../json.ts";

export type Labels = Readonly<Record<string, string>>;

/** Pods that the manifests create, or that an operator or a chart creates. */
export interface Pod {
  /** The object that creates the pod, such as `Deployment workspace`. */
  readonly owner: string;
  readonly namespace: string;
  readonly labels: Labels;
  /** The spec of the pod; empty if others create it. */
  readonly spec: Json;
  /** The numbers of its ports by their names; by themselves if they have none. */
  readonly ports: Readonly<Record<string, number>>;
}

export interface ServicePort {
  readonly number: number;
  /** The name or number of the pods' port. */
  readonly target: string;
}

export interface ServiceOf {
  readonly name: string;
  readonly selector: Labels;
  readonly ports: readonly ServicePort[];
}

/** The objects that the manifests refer to although a chart, an operator or a person creates them. */
export interface Outside {
  /** The keys of Secrets, by their names. */
  readonly secrets: Readonly<Record<string, readonly string[]>>;
  readonly services: readonly ServiceOf[];
  readonly pods: readonly Pod[];
  /** The issuers of certificates, such as `ClusterIssuer letsencrypt`. */
  readonly issuers: readonly string[];
}

export interface World {
  readonly objects: readonly Json[];
  readonly pods: readonly Pod[];
  readonly services: readonly ServiceOf[];
  /** The keys of Secrets and ConfigMaps, by kind and name. */
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>;
  readonly issuers: ReadonlySet<string>;
}

/**
 * Collects what exists once the manifests are applied: their own objects, and the objects that operators make of them.
 */
export function worldOf(manifests: readonly Manifest[], outside: Outside): World {
  const objects = manifests as unknown as readonly Json[];
  return {
    objects,
    pods: [...objects.flatMap(podOf), ...objects.flatMap(postgresPodOf), ...outside.pods],
    services: [...objects.flatMap(serviceOf), ...objects.flatMap(postgresServicesOf), ...outside.services],
    keys: new Map([
      ...objects.flatMap(keysOf),
      ...Object.entries(outside.secrets).map(([name, keys]) => [`Secret ${name}`, new Set(keys)] as const),
    ]),
    issuers: new Set([
      ...ofKind(objects, "Issuer").map((issuer) => `Issuer ${text(issuer, "metadata.name")}`),
      ...outside.issuers,
    ]),
  };
}

export function ofKind(objects: readonly Json[], ...kinds: readonly string[]): Json[] {
  return objects.filter((object) => kinds.includes(text(object, "kind")));
}

export const nameOf = (object: Json) => text(object, "metadata.name");
export const titleOf = (object: Json) => `${text(object, "kind")} ${nameOf(object)}`;

export function labelsAt(value: Json | undefined, path: string): Labels {
  return Object.fromEntries(entriesOf(all(value, path)[0]).map(([key, label]) => [key, String(label)]));
}

export function matches(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

function podOf(object: Json): Pod[] {
  const template = all(object, "spec.template")[0];
  if (!isObject(template) || !isObject(template["spec"])) return [];
  const spec = template["spec"];
  const ports = all(spec, "containers.*.ports.*").map((port) => {
    const number = Number(all(port, "containerPort")[0]);
    return [text(port, "name") || String(number), number] as const;
  });
  const labels = labelsAt(template, "metadata.labels");
  return [{ owner: titleOf(object), namespace: namespaceOf(object), labels, spec, ports: Object.fromEntries(ports) }];
}

const namespaceOf = (object: Json) => text(object, "metadata.namespace") || "default";

function serviceOf(object: Json): ServiceOf[] {
  if (text(object, "kind") !== "Service") return [];
  const ports = all(object, "spec.ports.*").map((port) => ({
    number: Number(all(port, "port")[0]),
    target: String(all(port, "targetPort")[0]),
  }));
  return [{ name: nameOf(object), selector: labelsAt(object, "spec.selector"), ports }];
}

/** The label by which CloudNativePG marks the servers of a cluster. */
const CLUSTER = "cnpg.io/cluster";
const postgresClusters = (object: Json) =>
  text(object, "apiVersion") === "postgresql.cnpg.io/v1" && text(object, "kind") === "Cluster" ? [object] : [];

function postgresPodOf(object: Json): Pod[] {
  return postgresClusters(object).map((cluster) => ({
    owner: titleOf(cluster),
    namespace: namespaceOf(cluster),
    labels: { [CLUSTER]: nameOf(cluster) },
    spec: {},
    ports: { postgresql: 5432, status: 8000, metrics: 9187 },
  }));
}

function postgresServicesOf(object: Json): ServiceOf[] {
  return postgresClusters(object).flatMap((cluster) =>
    ["rw", "ro", "r"].map((use) => ({
      name: `${nameOf(cluster)}-${use}`,
      selector: { [CLUSTER]: nameOf(cluster) },
      ports: [{ number: 5432, target: "postgresql" }],
    })),
  );
}

/** Returns the Secrets and ConfigMaps that an object is, or that its operator creates, with their keys. */
function keysOf(object: Json): (readonly [string, ReadonlySet<string>])[] {
  const kind = text(object, "kind");
  if (kind === "Secret" || kind === "ConfigMap") {
    return [[titleOf(object), new Set(Object.keys(labelsAt(object, "data")))]];
  }
  if (kind === "Certificate") {
    return [[`Secret ${text(object, "spec.secretName")}`, new Set(["tls.crt", "tls.key", "ca.crt"])]];
  }
  return postgresClusters(object).flatMap((cluster) => [
    [`Secret ${nameOf(cluster)}-ca`, new Set(["ca.crt", "ca.key"])],
    [`Secret ${nameOf(cluster)}-app`, new Set(["username", "password", "dbname", "host", "port", "uri"])],
  ]);
}
